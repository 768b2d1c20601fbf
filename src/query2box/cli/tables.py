"""Figures as tables for a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.table import Table

from query2box.cli.output import printable
from query2box.evaluation.evaluator import Report
from query2box.evaluation.metrics import Metrics

_COLUMNS = {"mrr": "MRR", "hits@1": "H@1", "hits@3": "H@3", "hits@10": "H@10"}


def metrics_table(report: dict[str, Any]) -> Table:
    """A row a structure, and their mean; with its calibration error where that is reported."""
    reliability = report.get("reliability")
    table = _table("structure", "queries", *(["ECE"] if reliability else []))

    def add(name: str, row: dict[str, Any], errors: dict[str, float] | None, style: str) -> None:
        error = [f"{errors['ece']:.3f}"] if errors else []
        table.add_row(printable(name), *_figures(row), f"{row['queries']:,}", *error, style=style)

    for name, row in report["structures"].items():
        add(name, row, (reliability or {"structures": {}})["structures"].get(name), "")
    table.add_section()
    add("average", report["average"], reliability, "bold")
    return table


def reliability_line(reliability: dict[str, Any]) -> str:
    """What the last column means."""
    by = {
        "cross-validation": "of probabilities fitted to other queries",
        "calibration": "of the probabilities that answers have",
    }[reliability["by"]]
    return (
        f"ECE, expected calibration error {by}: in all {reliability['ece']:.3f}, "
        f"in the first ten places {reliability['top10']:.3f}"
    )


def missing_edges_table(report: dict[str, Any]) -> Table:
    """A row for each number of missing edges."""
    table = _table("missing edges", "queries", "answers")
    for number, row in report["by_missing_edges"].items():
        table.add_row(number, *_figures(row), f"{row['queries']:,}", f"{row['answers']:,}")
    return table


def change_table(rows: Mapping[str, Metrics | None]) -> Table:
    """A row for each of some figures; those that there are not are left out."""
    table = _table("of", "queries")
    for name, figures in rows.items():
        if figures is not None:
            row = figures.to_json()
            table.add_row(name, *_figures(row), f"{row['queries']:,}")
    return table


def _table(first: str, *last: str) -> Table:
    table = Table(first, *_COLUMNS.values(), *last)
    for column in table.columns[1:]:
        column.justify = "right"
    return table


def _figures(row: dict[str, float]) -> list[str]:
    return [f"{row[key]:.3f}" for key in _COLUMNS]


def comparison_table(reports: Mapping[str, Report]) -> Table:
    """H@3 of each structure, a column a system."""
    table = Table("H@3 of", *reports, box=None, pad_edge=False)
    for column in table.columns[1:]:
        column.justify = "right"
    figures = [report.structures for report in reports.values()]
    for name in figures[0]:
        table.add_row(name, *(f"{one[name].hits_3:.3f}" for one in figures))
    means = (f"{report.average.hits_3:.3f}" for report in reports.values())
    table.add_row("average", *means, style="bold")
    return table
