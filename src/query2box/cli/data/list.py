"""`q2b data list`: the built-in datasets."""

from __future__ import annotations

from query2box.cli.output import JSON_OPTION, print_json, stdout


def list_datasets(as_json: bool = JSON_OPTION) -> None:
    """Show the built-in datasets, whose names stand wherever a dataset folder may.

    Example: q2b data list
    """
    from query2box.graph.builtin import BUILTIN

    rows: list[dict[str, object]] = []
    for builtin in BUILTIN.values():
        available = builtin.available()
        graph = builtin.load() if available else None
        rows.append(
            {
                "name": builtin.name,
                "description": builtin.description,
                "available": available,
                "entities": graph and graph.num_entities,
                "relations": graph and graph.num_relations,
                "edges": graph and graph.num_edges,
            }
        )
    if as_json:
        print_json(rows)
        return

    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column("name")
    for size in ("entities", "relations", "edges"):
        table.add_column(size, justify="right")
    table.add_column("what it is")
    for row in rows:
        sizes = [f"{row[size]:,}" if row["available"] else "-" for size in list(row)[3:]]
        missing = "" if row["available"] else " (not on this machine)"
        table.add_row(str(row["name"]), *sizes, f"{row['description']}{missing}")
    stdout().print(table)
