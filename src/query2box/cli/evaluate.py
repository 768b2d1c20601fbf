"""`q2b evaluate`."""

from __future__ import annotations

from pathlib import Path

import typer

from query2box.cli.output import JSON_OPTION, print_json, stderr, stdout
from query2box.errors import ConfigError


def evaluate(
    run: Path = typer.Argument(help="A run folder."),
    queries: Path | None = typer.Option(None, "--queries", help="A query file."),
    split: str | None = typer.Option(None, "--split", help="valid or test: the dataset's own."),
    data: Path | None = typer.Option(None, "--data", help="The dataset whose query files count."),
    limit: int = typer.Option(0, "--limit", min=0, help="Queries of each structure; 0: all."),
    link_prediction: bool = typer.Option(
        False, "--link-prediction", help="Average over edges, as link prediction does."
    ),
    by_missing_edges: bool = typer.Option(
        False, "--by-missing-edges", help="Also by the missing edges that an answer needs."
    ),
    as_json: bool = JSON_OPTION,
) -> None:
    """Judge a model by the paper's protocol.

    Example: q2b evaluate runs/countries --split test
    """
    if (queries is None) == (split is None):
        raise ConfigError("say either --queries FILE or --split valid|test")
    if split not in (None, "valid", "test"):
        raise ConfigError(f"--split is valid or test, not {split!r}")

    from query2box.library import evaluate as judge

    report = judge(
        run,
        queries=queries,
        split=split,  # type: ignore[arg-type]
        folder=data,
        limit=limit,
        link_prediction=link_prediction,
        by_missing_edges=by_missing_edges,
    )
    if as_json:
        print_json(report)
        return
    from query2box.cli.tables import metrics_table, missing_edges_table, reliability_line

    stdout().print(metrics_table(report))
    if by_missing_edges:
        stdout().print(missing_edges_table(report))
    if "reliability" in report:
        stdout().print(reliability_line(report["reliability"]), soft_wrap=True)
    if report.get("source") == "sampled":
        message = "the dataset brings no queries; these were sampled from the run's graph"
        stderr().print(message, soft_wrap=True)
