"""Experiments of a moment on the families, and what their tables say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from families import TINY


def write_experiment(
    path: Path, tables: dict[str, dict[str, object]] | None = None, /, **grid: object
) -> Path:
    """An experiment file; its entries are written as TOML writes JSON's values."""
    grid = {"models": ["query2box", "transe"], "out": str(path.parent / "out"), **grid}
    lines = []
    for name, table in ({"experiment": grid, "settings": TINY} | (tables or {})).items():
        lines += [f"[{name}]", *(f"{key} = {json.dumps(value)}" for key, value in table.items())]
    path.write_text("\n".join(lines), "utf-8")
    return path


def evaluations(out: Path) -> dict[str, Any]:
    """Everything that is known of the runs of an experiment, but how long it took."""
    found = {}
    for path in sorted(out.glob("*/*/evaluations/*.json")):
        document = json.loads(path.read_text("utf-8"))
        del document["seconds"]
        found[str(path.relative_to(out))] = document
    return found
