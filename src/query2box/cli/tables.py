"""Figures as tables for a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.table import Table

from query2box.evaluation.evaluator import Report

_COLUMNS = {"mrr": "MRR", "hits@1": "H@1", "hits@3": "H@3", "hits@10": "H@10"}


def metrics_table(report: dict[str, Any]) -> Table:
    """A row a structure, and their mean."""
    table = Table("structure", *_COLUMNS.values(), "queries")
    for column in table.columns[1:]:
        column.justify = "right"
    for name, row in report["structures"].items():
        table.add_row(name, *(f"{row[key]:.3f}" for key in _COLUMNS), f"{row['queries']:,}")
    table.add_section()
    mean = report["average"]
    table.add_row(
        "average", *(f"{mean[key]:.3f}" for key in _COLUMNS), f"{mean['queries']:,}", style="bold"
    )
    return table


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
