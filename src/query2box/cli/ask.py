"""`q2b ask`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from query2box.cli.output import JSON_OPTION, print_json, printable, stderr, stdout
from query2box.errors import RunError

if TYPE_CHECKING:
    from rich.table import Table

    from query2box.answering.answers import Answer
    from query2box.answering.reasoner import Reasoner

STORED_OPTION = typer.Option(
    "train", "--stored", help="Which edges count as known: train, valid (and train) or test (all)."
)

LOOPS_OPTION = typer.Option(
    False, "--loops", help="Also predict entities that would be their own neighbours."
)


def ask(
    run: Path = typer.Argument(help="A run folder."),
    query: str = typer.Argument(help="A formula or SPARQL."),
    k: int = typer.Option(10, "-k", min=0, help="How many answers."),
    only: str | None = typer.Option(None, "--only", help="known or predicted answers only."),
    candidates: str | None = typer.Option(
        None, "--type", help="A question whose known answers alone may answer this one."
    ),
    loops: bool = LOOPS_OPTION,
    stored: str = STORED_OPTION,
    index: bool = typer.Option(False, "--index", help="Search the cells of q2b index RUN."),
    budget: int | None = typer.Option(
        None, "--budget", min=0, help="Entities that the index may look at; without, all it needs."
    ),
    as_json: bool = JSON_OPTION,
) -> None:
    """Ask a question: who is near to its answer, known or predicted, and how likely.

    Example: q2b ask runs/countries "?c : borders(France, ?c) & language(?c, German)"
    """
    from query2box.answering.reasoner import Reasoner

    reasoner = Reasoner.load(run, stored)  # type: ignore[arg-type]
    index = index or budget is not None
    _use_index(reasoner, run, index, budget)
    reply = reasoner.reply(
        query,
        k,
        only=only,  # type: ignore[arg-type]
        candidates=candidates,
        loops=loops,
    )
    if as_json:
        document = reply.to_json(reasoner.graph)
        print_json({**document, "certified": reply.certified} if index else document)
    elif reply.answers:
        stdout().print(answers_table(reply.answers))
    else:
        stderr().print("no answers")
    if not reply.certified:
        stderr().print("not certified: the budget was spent, and nearer entities may be unseen")
    warn_of_guesses(reasoner)


def _use_index(reasoner: Reasoner, run: Path, wanted: bool, budget: int | None) -> None:
    """Answer with the run's index, or with the scan; the certified results are the same."""
    if not wanted:
        reasoner.index = None
    elif reasoner.index is None:
        raise RunError(f"{run}: this run has no index of its entities; q2b index makes one")
    reasoner.budget = budget


def warn_of_guesses(reasoner: Reasoner) -> None:
    """Say so where probabilities are not calibrated."""
    if not reasoner.calibration.is_fitted:
        stderr().print("the probabilities are not calibrated: the run has no validation queries")


def answers_table(answers: list[Answer]) -> Table:
    """Answers in their order; a label that is no name has the name beside it."""
    from rich.table import Table

    named = any(answer.label != answer.entity for answer in answers)
    table = Table(box=None, pad_edge=False)
    table.add_column("rank", justify="right")
    table.add_column("answer", overflow="fold")
    if named:
        table.add_column("name", overflow="fold", style="dim")
    table.add_column("probability", justify="right")
    table.add_column("")
    table.add_column("distance", justify="right")
    for rank, answer in enumerate(answers, 1):
        names = [answer.label, answer.entity] if named else [answer.label]
        table.add_row(
            str(rank),
            *map(printable, names),
            f"{answer.probability:.3f}",
            "known" if answer.known else "predicted",
            f"{answer.distance:.2f}",
            style="green" if answer.known else "yellow",
        )
    return table
