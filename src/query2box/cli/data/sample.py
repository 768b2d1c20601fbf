"""`q2b data sample`: a query file by the paper's sampler."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from query2box.cli.output import JSON_OPTION, print_json, stderr, stdout

if TYPE_CHECKING:
    from query2box.query.nodes import Query
    from query2box.workload.query_set import QueryGroup


def sample(
    data: str = typer.Argument(help="A dataset's folder or name."),
    *,
    out: Path = typer.Option(..., metavar="FILE", help="The query file to write."),
    split: str = typer.Option(
        "valid",
        metavar="SPLIT",
        help="valid, test: queries with an answer that needs such an edge; train: any queries.",
    ),
    per_structure: int = typer.Option(1000, min=1, help="Queries of each structure."),
    structures: str = typer.Option(
        "",
        metavar="NAME,...",
        help="The paper's names or shapes such as i(p(e),p(p(e))); "
        "else all nine, for train the five that models are trained on.",
    ),
    direction: str = typer.Option(
        "backward", help="backward from a uniform target, or forward from a uniform anchor."
    ),
    max_answers: int | None = typer.Option(None, min=1, help="Leave out queries with more."),
    seed: int = typer.Option(0, min=0, help="Equal seeds give equal files."),
    names: bool = typer.Option(False, "--names", help="Write entities by name, not by id."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Sample logical queries with their exact answers, as in the paper's appendix D.

    Example: q2b data sample countries --split valid --per-structure 100 --out queries.jsonl
    """
    from query2box.errors import ConfigError
    from query2box.graph.knowledge_graph import SPLITS, KnowledgeGraph
    from query2box.query.skeleton import STRUCTURES, TRAINING_STRUCTURES
    from query2box.workload.plan import DIRECTIONS
    from query2box.workload.query_files import write_queries
    from query2box.workload.sampler import sample_query_set

    chosen_split = next((s for s in SPLITS if s == split), None)
    if chosen_split is None:
        raise ConfigError(f"no split {split!r}; say {', '.join(SPLITS)}")
    chosen_direction = next((d for d in DIRECTIONS if d == direction), None)
    if chosen_direction is None:
        raise ConfigError(f"no direction {direction!r}; say {' or '.join(DIRECTIONS)}")
    default = TRAINING_STRUCTURES if split == "train" else STRUCTURES
    skeletons = parse_structures(structures or ",".join(default))
    graph = KnowledgeGraph.load(data)
    with stderr().status("sampling ..."):
        queries = sample_query_set(
            graph,
            chosen_split,
            skeletons,
            per_structure,
            seed,
            direction=chosen_direction,
            max_answers=max_answers,
        )
        write_queries(out, queries, graph, names)
    for group in queries.groups:
        if len(group) < per_structure:
            stderr().print(f"q2b: the graph gave only {len(group):,} different {group.structure}")
    if as_json:
        print_json({"queries": len(queries), "structures": [*map(_figures, queries.groups)]})
    else:
        _show(queries.groups)


def parse_structures(text: str) -> list[Query]:
    """The skeletons of names and shapes; commas within a shape are its own."""
    from query2box.query.skeleton import structure

    parts = [""]
    depth = 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return list(dict.fromkeys(structure(part.strip()) for part in parts))


def _figures(group: QueryGroup) -> dict[str, object]:
    size = max(len(group), 1)
    return {
        "structure": group.structure,
        "queries": len(group),
        "easy": len(group.easy.values) / size,
        "hard": len(group.hard.values) / size,
    }


def _show(groups: Iterable[QueryGroup]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column("structure")
    for column in ("queries", "easy answers a query", "hard"):
        table.add_column(column, justify="right")
    for name, queries, easy, hard in (_figures(group).values() for group in groups):
        table.add_row(str(name), f"{queries:,}", f"{easy:,.1f}", f"{hard:,.1f}")
    stdout().print(table)
