"""`q2b experiment`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from query2box.cli.output import JSON_OPTION, print_json, stdout
from query2box.cli.settings import SET_OPTION, read_settings
from query2box.cli.stopping import stopping

if TYPE_CHECKING:
    from query2box.experiment.grid.runner import Summary

CELL = (sys.executable, "-m", "query2box.cli.cell")


def experiment(
    file: Path = typer.Argument(help="An experiment file, e.g. experiments/quick.toml."),
    out: Path | None = typer.Option(None, "--out", help="The folder to write; else the file's."),
    jobs: int | None = typer.Option(None, "--jobs", help="Runs at once; else as the file says."),
    settings: list[str] = SET_OPTION,
    plots: bool = typer.Option(True, "--plots/--no-plots", help="Plots need the extra `report`."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Train and judge systems on datasets with several seeds; the same command goes on.

    Example: q2b experiment experiments/quick.toml
    """
    from query2box.cli.watching_grid import grid_onlooker
    from query2box.errors import RunError
    from query2box.experiment.grid.file import read_experiment
    from query2box.experiment.grid.reporting import write_reports
    from query2box.experiment.grid.runner import run_experiment
    from query2box.experiment.report.canvas import check_plots

    grid = {"out": None if out is None else str(out), "jobs": jobs}
    found = read_experiment(
        file,
        {name: value for name, value in grid.items() if value is not None},
        read_settings(settings),
    )
    if plots:
        check_plots()  # not after hours
    watching = grid_onlooker()
    with watching, stopping(watching):
        summary = run_experiment(found, CELL, watching)
    stopped = watching.asked_to_stop and not summary.whole
    reports = [] if stopped else [str(path) for path in write_reports(found, summary, plots)]
    if as_json:
        print_json({"out": str(found.out), "reports": reports, **summary.to_json()})
    elif summary.done:
        _show(summary)
    if stopped:
        watching.say("stopped; the same command goes on")
        raise typer.Exit(130)
    for report in reports:
        watching.say(f"report: {report}")
    if summary.failed:
        first, reason = next(iter(summary.failed.items()))
        raise RunError(
            f"{len(summary.failed)} of {len(summary.cells)} runs failed; {first.name}: {reason}"
        )


def _show(summary: Summary) -> None:
    """Mean H@3 over seeds: a row a system, a column a dataset and split."""
    from rich.table import Table

    from query2box.cli.output import printable

    found: dict[str, dict[str, list[float]]] = {}
    for cell in summary.cells:
        for split, row in summary.done.get(cell, {}).items():
            column = f"{printable(cell.dataset)} {split}"
            found.setdefault(cell.model, {}).setdefault(column, []).append(row["hits@3"])
    columns = dict.fromkeys(column for row in found.values() for column in row)
    table = Table("H@3", *columns, box=None, pad_edge=False)
    for figures in table.columns[1:]:
        figures.justify = "right"
    for model, row in found.items():
        means = (f"{sum(row[c]) / len(row[c]):.3f}" if c in row else "" for c in columns)
        table.add_row(model, *means)
    stdout().print(table)
