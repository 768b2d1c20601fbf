"""What happened in a run, one JSON document a line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from query2box.graph.files import atomic_text

JOURNAL = "journal.jsonl"


class Journal:
    """Lines that are added and never changed, but for those after a checkpoint gone back to."""

    def __init__(self, folder: Path, name: str = JOURNAL) -> None:
        self.path = folder / name

    def write(self, kind: str, **entry: object) -> None:
        """Add a line."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"kind": kind, **entry}) + "\n")

    def entries(self) -> list[dict[str, Any]]:
        """All lines; one that a killed process left unfinished does not count."""
        if not self.path.is_file():
            return []
        found = []
        for line in self.path.read_text("utf-8", "replace").splitlines():
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            if isinstance(entry, dict):
                found.append(entry)
        return found

    def rewind(self, step: int) -> None:
        """Forget what came after a step."""
        kept = [entry for entry in self.entries() if entry.get("step", 0) <= step]
        with atomic_text(self.path) as file:
            file.writelines(json.dumps(entry) + "\n" for entry in kept)
