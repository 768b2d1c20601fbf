"""`q2b data import`: any files of edges as a dataset folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from query2box.cli.output import JSON_OPTION, print_json, printable, stderr, stdout
from query2box.cli.reading import (
    COLUMNS_OPTION,
    FORMAT_OPTION,
    HEADER_OPTION,
    SKIP_OPTION,
    how_to_read,
)

if TYPE_CHECKING:
    from query2box.graph.importing import Imported
    from query2box.graph.readers.reading import Reading


def import_(
    sources: list[Path] = typer.Argument(
        metavar="SOURCE", help="Files of edges, or folders of such files; .gz is fine."
    ),
    *,
    out: Path = typer.Option(..., metavar="DATA", help="The dataset folder to write."),
    valid: float = typer.Option(0.1, help="The share of edges for validation."),
    test: float = typer.Option(0.1, help="The share of edges for test."),
    seed: int = typer.Option(0, min=0, help="What the random split comes from."),
    keep_splits: bool = typer.Option(
        False, "--keep-splits", help="The files are called train, valid, test: split by that."
    ),
    file_format: str | None = FORMAT_OPTION,
    header: bool | None = HEADER_OPTION,
    columns: str | None = COLUMNS_OPTION,
    skip_bad_lines: bool = SKIP_OPTION,
    labels: Path | None = typer.Option(
        None, metavar="FILE", help="Readable names: entity, label, separated by tabs."
    ),
    as_json: bool = JSON_OPTION,
) -> None:
    """Make a dataset folder of TSV, CSV, N-Triples, Turtle or Parquet files.

    Every entity and relation of the validation and test edges also stands in training.

    Example: q2b data import facts.csv --columns subject,predicate,object --out my-graph
    """
    from query2box.graph.folder import new_folder, write_graph
    from query2box.graph.importing import import_graph

    reading = how_to_read(file_format, header, columns, skip_bad_lines)
    # The folder comes first: one that may not be written is refused before the long work.
    with new_folder(out) as folder:
        imported = import_graph(
            sources,
            reading,
            valid=valid,
            test=test,
            seed=seed,
            keep_splits=keep_splits,
            labels=labels,
        )
        write_graph(imported.graph, folder)
    if imported.named_as_splits and not keep_splits:
        stderr().print("q2b: the files are called after splits; --keep-splits would keep those")
    if header is None and (line := _lone_first_line(imported, sources)):
        stderr().print(
            f"q2b: the names of the first line, {printable(line)}, occur nowhere else; "
            "if it names the columns, say --header",
            soft_wrap=True,
        )
    if as_json:
        print_json(_summary(imported, reading, out))
    else:
        _show(imported, reading, out)


def _lone_first_line(imported: Imported, sources: list[Path]) -> str | None:
    """The first line of a table that shares no name with any other: is it an edge at all?"""
    from query2box.graph.readers import plain_suffix

    graph = imported.graph
    if plain_suffix(sources[0]) not in (".tsv", ".csv") or graph.num_edges < 2:
        return None
    # Names have ids in the order they came.
    first = (graph.edges[:, 1] == 0) | (graph.edges[:, ::2] <= 1).any(axis=1)
    if first.sum() != 1 or graph.edges[first][0].tolist() != [0, 0, 1]:
        return None
    return ", ".join((graph.entities[0], graph.relations[0], graph.entities[1]))


def _summary(imported: Imported, reading: Reading, out: Path) -> dict[str, object]:
    graph = imported.graph
    return {
        "folder": str(out),
        "entities": graph.num_entities,
        "relations": graph.num_relations,
        "edges": {split: len(graph.edges_of(split)) for split in graph.splits},
        "labels": len(graph.labels),
        "moved": imported.moved,
        "dropped": imported.dropped,
        "duplicates": imported.duplicates,
        "bad_lines": reading.bad_lines,
        "header_lines": reading.header_lines,
        "literals": reading.literals,
        "unknown_labels": imported.unknown_labels,
    }


def _show(imported: Imported, reading: Reading, out: Path) -> None:
    graph = imported.graph
    say = stdout().print
    say(
        f"{printable(str(out))}: {graph.num_entities:,} entities, {graph.num_relations:,} relations"
    )
    edges = (f"{len(graph.edges_of(split)):,} {split}" for split in graph.splits)
    say(f"edges: {', '.join(edges)}")
    for count, what in (
        (len(graph.labels), "labels"),
        (imported.moved, "edges moved to train, which would have lacked a name of theirs"),
        (imported.dropped, "edges dropped, with names that train lacks"),
        (imported.duplicates, "duplicate edges dropped"),
        (reading.bad_lines, "bad lines skipped"),
        (reading.header_lines, "header lines"),
        (reading.literals, "literals left out"),
        (imported.unknown_labels, "labels left out, of entities that are not in the graph"),
    ):
        if count:
            say(f"{count:,} {what}")
