"""`q2b bench`: this program against the plain way of doing the same, in one run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import typer

from query2box.cli.output import JSON_OPTION, print_json, stderr, stdout

if TYPE_CHECKING:
    from query2box.graph.knowledge_graph import KnowledgeGraph
    from query2box.workload.comparison import Row

Case: TypeAlias = "Callable[[KnowledgeGraph], Iterable[Row]]"


def _sample(graph: KnowledgeGraph) -> Iterable[Row]:
    from query2box.workload.comparison import compare_workload

    return compare_workload(graph)


def _train(graph: KnowledgeGraph) -> Iterable[Row]:
    from query2box.experiment.comparison import compare_training

    return compare_training(graph)


def _evaluate(graph: KnowledgeGraph) -> Iterable[Row]:
    from query2box.experiment.comparison import compare_evaluation

    return compare_evaluation(graph)


def _answer(graph: KnowledgeGraph) -> Iterable[Row]:
    from query2box.answering.comparison import compare_answering
    from query2box.experiment.config import PRESETS

    return compare_answering(graph, PRESETS["fast"][0])


def _answer_with(run: Path) -> Iterable[Row]:
    from query2box.answering.comparison import compare_questions
    from query2box.answering.reasoner import Reasoner

    return compare_questions(Reasoner.load(run))


CASES: dict[str, Case] = {
    "train": _train,
    "sample": _sample,
    "evaluate": _evaluate,
    "answer": _answer,
}
"""What can be measured; each gives its rows as it goes."""


def bench(
    case: str = typer.Argument(metavar="CASE", help=f"What to measure: {', '.join(CASES)}."),
    data: str = typer.Argument("countries", help="A dataset's folder or name."),
    run: Path | None = typer.Option(
        None, "--run", help="answer: ask this run's model instead of one that has learnt nothing."
    ),
    as_json: bool = JSON_OPTION,
) -> None:
    """Measure this program against the plain way of doing the same, as a ratio.

    Example: q2b bench sample countries
    """
    from query2box.errors import ConfigError
    from query2box.graph.knowledge_graph import KnowledgeGraph

    if case not in CASES:
        raise ConfigError(f"no benchmark {case!r}; say {' or '.join(CASES)}")
    if run is not None and case != "answer":
        raise ConfigError("only `q2b bench answer` asks a run")
    found = CASES[case](KnowledgeGraph.load(data)) if run is None else _answer_with(run)
    rows = []
    with stderr().status("compiling and measuring ..."):
        for row in found:
            rows.append(row)
            stderr().print(f"{row['case']}: {row['ratio']:,.1f} times the plain way")
    if as_json:
        print_json(rows)
    else:
        _show(rows)


def _show(rows: list[Row]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column("case")
    for column in ("ours", "plain", "ratio"):
        table.add_column(column, justify="right")
    table.add_column("unit")
    for row in rows:
        figures = (f"{row[column]:,.4g}" for column in ("ours", "plain"))
        table.add_row(row["case"], *figures, f"{row['ratio']:,.1f}", row["unit"])
    stdout().print(table)
