"""`q2b data stats`: a graph in figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from query2box.cli.output import JSON_OPTION, print_json, printable, stderr, stdout

if TYPE_CHECKING:
    from query2box.graph.statistics import GraphStatistics

_TOP = 20


def stats(
    data: str = typer.Argument(metavar="DATA", help="A dataset's folder or name."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Count a dataset's entities, relations and edges.

    Example: q2b data stats countries
    """
    from dataclasses import asdict

    from query2box.graph.datasets import load_dataset
    from query2box.graph.statistics import statistics_of

    loaded = load_dataset(data)
    found = statistics_of(loaded.graph)
    duplicates = sum(loaded.duplicates.values())
    if as_json:
        left_out = {"duplicates": duplicates, "unknown_labels": loaded.unknown_labels}
        print_json(asdict(found) | left_out)
        return
    _show(found)
    if duplicates:
        stderr().print(f"q2b: {duplicates:,} duplicate edges were left out")
    if loaded.unknown_labels:
        stderr().print(f"q2b: {loaded.unknown_labels:,} labels are of unknown entities")


def _show(found: GraphStatistics) -> None:
    from rich.table import Table

    figures = Table(box=None, pad_edge=False, show_header=False)
    figures.add_row("entities", f"{found.entities:,}")
    figures.add_row("  with a label", f"{found.labels:,}")
    figures.add_row("  without training edges", f"{found.entities_without_training_edges:,}")
    figures.add_row("relations", f"{found.relations:,}")
    figures.add_row("edges", f"{sum(found.edges.values()):,}")
    for split, count in found.edges.items():
        figures.add_row(f"  {split}", f"{count:,}")
    for name, degrees in (("outgoing", found.out_degree), ("incoming", found.in_degree)):
        figures.add_row(
            f"{name} edges an entity",
            f"mean {degrees.mean:,.2f}, median {degrees.median:,g}, most {degrees.max:,}",
        )
    stdout().print(figures)

    table = Table(box=None, pad_edge=False, title_justify="left")
    table.add_column("relation", overflow="fold")
    for column in ("edges", "objects of a subject", "subjects of an object"):
        table.add_column(column, justify="right")
    for row in found.per_relation[:_TOP]:
        table.add_row(
            printable(row.relation),
            f"{row.edges:,}",
            f"{row.objects:,.2f}",
            f"{row.inverse_objects:,.2f}",
        )
    stdout().print()
    stdout().print(table)
    more = len(found.per_relation) - _TOP
    if more > 0:
        stdout().print(f"... and {more:,} more; --json has all")
