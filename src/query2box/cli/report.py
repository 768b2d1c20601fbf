"""`q2b report`."""

from __future__ import annotations

from pathlib import Path

import typer

from query2box.cli.output import JSON_OPTION, print_json, stdout
from query2box.errors import ConfigError


def report(
    runs: list[Path] = typer.Argument(metavar="RUN...", help="Run folders."),
    out: Path = typer.Option(..., "--out", help="The folder to write; a report there is replaced."),
    split: str = typer.Option("valid", "--split", help="valid or test: what to judge the runs on."),
    limit: int = typer.Option(0, "--limit", min=0, help="Queries of each structure; 0: all."),
    plots: bool = typer.Option(True, "--plots/--no-plots", help="Plots need the extra `report`."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Tell of runs: the paper's tables, plots, and one page that holds it all.

    Example: q2b report runs/fb237-* --out report
    """
    if split not in ("valid", "test"):
        raise ConfigError(f"--split is valid or test, not {split!r}")

    from query2box.experiment.report.writing import PAGE, write_report

    found = write_report(runs, out, split, limit, plots)  # type: ignore[arg-type]
    if as_json:
        print_json(found)
        return
    tables, pictures = len(found["tables"]), len(found["plots"])
    judged = sum(run["problem"] is None for run in found["runs"])
    for run in found["runs"]:
        if run["problem"]:
            stdout().print(f"left out: {run['problem']}", soft_wrap=True)
    stdout().print(
        f"{judged} runs, {tables} tables, {pictures} plots: {out / PAGE}", soft_wrap=True
    )
