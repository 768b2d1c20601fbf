"""`q2b data answer`: exact answers for a query file."""

from __future__ import annotations

import time
from pathlib import Path

import typer

from query2box.cli.output import JSON_OPTION, print_json, stderr, stdout


def answer(
    data: str = typer.Argument(help="A dataset's folder or name."),
    *,
    queries: Path = typer.Option(..., metavar="FILE", help="The query file to read."),
    out: Path = typer.Option(..., metavar="FILE", help="The query file to write."),
    graph: str = typer.Option(
        "test",
        metavar="SPLIT",
        help="train; valid: train and valid edges; test: all edges.",
    ),
    as_json: bool = JSON_OPTION,
) -> None:
    """Add "answers" to every line of a query file: exact ones, by traversal.

    They are ids or names as the line's query has them.

    Example: q2b data answer countries --queries queries.jsonl --graph train --out answers.jsonl
    """
    from query2box.errors import ConfigError
    from query2box.graph.knowledge_graph import SPLITS, KnowledgeGraph
    from query2box.workload.answer_file import answer_file

    split = next((s for s in SPLITS if s == graph), None)
    if split is None:
        raise ConfigError(f"no graph {graph!r}; say {', '.join(SPLITS)}")
    nested = KnowledgeGraph.load(data).up_to(split)
    start = time.perf_counter()
    with stderr().status("answering ..."):
        done = answer_file(queries, nested, out)
    seconds = time.perf_counter() - start
    if as_json:
        print_json({"queries": done.queries, "answers": done.answers, "seconds": seconds})
    else:
        stdout().print(f"{done.queries:,} queries, {done.answers:,} answers, {seconds:.1f} s")
