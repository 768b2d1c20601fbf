"""`write_report`: run folders in, a folder with tables, plots and a page out."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from query2box.errors import ConfigError
from query2box.experiment.report.canvas import check_plots
from query2box.experiment.report.contents import compose
from query2box.experiment.report.document import Document, to_markdown
from query2box.experiment.report.page import to_html
from query2box.experiment.report.render import FORMATS
from query2box.experiment.report.runs import RunFigures, collect
from query2box.experiment.report.tables import Cell, Figure, Table
from query2box.graph.files import atomic_folder, atomic_text
from query2box.graph.knowledge_graph import Split

PAGE, TEXT, DATA = "index.html", "report.md", "report.json"
_FILES = frozenset((PAGE, TEXT, DATA, "tables", "plots"))


def write_report(
    runs: Iterable[str | Path],
    out: str | Path,
    split: Split = "valid",
    limit: int = 0,
    with_plots: bool = True,
) -> dict[str, Any]:
    """Judge runs on their datasets' split and tell of them in a folder; a report there is replaced.

    index.html      everything on one page
    report.md       the same as Markdown
    tables/         each table as Markdown, CSV and LaTeX
    plots/          each picture as SVG
    report.json     what is returned: the runs, and the tables' figures
    """
    if split not in ("valid", "test"):
        raise ConfigError(f"a report is on valid or test, not {split!r}")
    if with_plots:
        check_plots()
    with atomic_folder(out, replaceable=_FILES) as folder:
        found = collect(runs, split, limit)
        document = compose(found, split, with_plots)
        data = _to_json(document, found, split, limit)
        _write(document, data, folder)
    return {"out": str(out), **data}


def _write(document: Document, data: dict[str, Any], folder: Path) -> None:
    (folder / "tables").mkdir()
    for table in document.tables:
        for ending, render in FORMATS.items():
            (folder / "tables" / f"{table.name}.{ending}").write_text(render(table), "utf-8")
    if document.pictures:
        (folder / "plots").mkdir()
    for picture in document.pictures:
        (folder / "plots" / f"{picture.name}.svg").write_bytes(picture.svg)
    for name, text in (
        (PAGE, to_html(document)),
        (TEXT, to_markdown(document)),
        (DATA, json.dumps(data, indent=1) + "\n"),
    ):
        with atomic_text(folder / name) as file:
            file.write(text)


def _to_json(
    document: Document, runs: list[RunFigures], split: Split, limit: int
) -> dict[str, Any]:
    return {
        "split": split,
        "limit": limit,
        "runs": [
            {
                "run": run.name,
                "dataset": run.graph["name"],
                "system": run.config.system,
                "preset": run.config.preset,
                "seed": run.config.seed,
                "minutes": run.minutes,
                "steps": run.steps,
                "finished": run.finished,
                "problem": run.problem or None,
                "average": run.evaluation["average"] if run.evaluation else None,
            }
            for run in runs
        ],
        "tables": {table.name: _table(table) for table in document.tables},
        "plots": [f"plots/{picture.name}.svg" for picture in document.pictures],
    }


def _table(table: Table) -> dict[str, Any]:
    rows = [[_value(cell) for cell in row] for row in table.rows]
    return {"title": table.title, "columns": list(table.columns), "rows": rows, "note": table.note}


def _value(cell: Cell) -> object:
    if not isinstance(cell, Figure):
        return cell
    return cell.value if cell.spread is None else {"mean": cell.value, "sd": cell.spread}
