"""`q2b demo`: train on the countries of the world, judge the model, ask it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from query2box.cli.output import stdout

if TYPE_CHECKING:
    from query2box.answering.reasoner import Reasoner

QUESTIONS = {
    "Which neighbours of France speak German or Italian?": (
        "?c : borders(France, ?c) & (language(?c, German) | language(?c, Italian))"
    ),
    "What money do members of the European Union next to Ukraine have?": (
        "?m : member_of(?c, 'European Union') & borders(Ukraine, ?c) & currency(?c, ?m)"
    ),
    "On which continents are countries that speak Portuguese?": (
        "?k : language(?c, Portuguese) & continent(?c, ?k)"
    ),
}

SETTINGS = {
    "dim": 128,
    "heads": 1,
    "hidden": 0,
    "num_negatives": 1024,
    "open": 0.2,
    "travel": 0.6,
    "validations": 5,
}
"""A small graph needs few dimensions, is learnt the sooner for it, and sooner by heart; in so short
a time one head has more of it (docs/recipe.md)."""


def demo(
    out: Path = typer.Option(Path("runs/countries"), "--out", help="The run folder to write."),
    minutes: float = typer.Option(1.5, "--minutes", min=0.02, help="How long to train."),
) -> None:
    """Train on the built-in countries, judge the model, ask it three questions.

    Example: q2b demo --minutes 1
    """
    from query2box.answering.reasoner import Reasoner
    from query2box.cli.train import watched_training

    if (out / "config.json").exists():
        _title(f"1. {out} has been trained before")
    else:
        _title(f"1. Training on the countries of the world, {minutes:g} minutes")
        run = watched_training("countries", out, minutes=minutes, settings=SETTINGS)
        if not run.finished:
            raise typer.Exit(130)
    reasoner = Reasoner.load(out)

    _title("2. Judging by questions whose answers need an edge that training did not see")
    _judge(reasoner)

    _title("3. Asking")
    for sentence, formula in QUESTIONS.items():
        stdout().print(f"\n{sentence}\n{formula}\n", style="bold")
        _ask(reasoner, formula)

    _title("Where to go from here")
    stdout().print(
        f"q2b serve {out}                     then open http://127.0.0.1:8000 in a browser\n"
        f'q2b ask {out} "?c : borders(France, ?c)"      ask your own questions: docs/queries.md\n'
        "q2b data stats countries                      what there is to ask about\n"
        "docs/guide.md                                 your own graph in five commands",
        soft_wrap=True,
    )


def _title(text: str) -> None:
    stdout().print()
    stdout().rule(text, align="left")


def _judge(reasoner: Reasoner) -> None:
    from query2box.cli.tables import comparison_table
    from query2box.evaluation.baseline import Frequency, evaluate_frequency
    from query2box.evaluation.evaluator import evaluate_queries
    from query2box.experiment.queries import evaluation_queries

    graph = reasoner.graph
    queries = evaluation_queries(graph, "test")
    frequency = Frequency(graph.train.adjacency, graph.num_relations)
    reports = {
        "query2box": evaluate_queries(reasoner.space.model, queries),
        "most frequent": evaluate_frequency(frequency, queries),
    }
    stdout().print(comparison_table(reports))


def _ask(reasoner: Reasoner, formula: str) -> None:
    """Answers, and the reason for the likeliest one that no stored edge gives."""
    from query2box.cli.ask import answers_table
    from query2box.cli.explain import explanation_lines

    answers = reasoner.answer(formula, k=8)
    stdout().print(answers_table(answers))
    predicted = next((answer for answer in answers if not answer.known), answers[0])
    stdout().print(f"\nWhy {predicted.label}?")
    for line in explanation_lines(reasoner.explain(formula, predicted.entity, 0)):
        stdout().print(line)
