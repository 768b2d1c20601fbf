"""`q2b explain`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from query2box.cli.ask import STORED_OPTION, warn_of_guesses
from query2box.cli.output import JSON_OPTION, print_json, printable, stderr, stdout

if TYPE_CHECKING:
    from rich.text import Text
    from rich.tree import Tree

    from query2box.answering.explanation import Atom, End, Explanation, Witness


def explain(
    run: Path = typer.Argument(help="A run folder."),
    query: str = typer.Argument(help="A formula or SPARQL."),
    entity: str = typer.Argument(help="The entity to explain, by name or label."),
    others: int = typer.Option(3, "--others", min=0, help="How many runner-up reasons."),
    svg: Path | None = typer.Option(None, "--svg", help="Draw the best reason into this file."),
    stored: str = STORED_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Say why an entity answers a question: the edges, known or likely, that speak for it.

    Example: q2b explain runs/countries "?c : borders(France, ?c)" Germany --svg why.svg
    """
    from query2box.answering.reasoner import Reasoner

    reasoner = Reasoner.load(run, stored)  # type: ignore[arg-type]
    explanation = reasoner.explain(query, entity, others)
    if svg is not None:
        from query2box.answering.picture import draw
        from query2box.graph.files import atomic_text

        with atomic_text(svg) as file:
            file.write(draw(explanation))
    if as_json:
        print_json(explanation.to_json(reasoner.graph))
    else:
        for part in explanation_lines(explanation):
            stdout().print(part)
    if not explanation.exact:
        stderr().print("only the likeliest values were tried; others may speak for it more")
    warn_of_guesses(reasoner)


def explanation_lines(explanation: Explanation) -> list[Tree | Text]:
    """The best reason as a tree, then the runners-up."""
    """The best reason as a tree, then the runners-up atom by atom."""
    from rich.text import Text

    answer = explanation.answer
    head = Text(printable(answer.label), style="bold")
    if answer.known:
        head.append("  known", style="not bold green")
    else:
        head.append(f"  predicted, {answer.probability:.3f}", style="not bold yellow")
    head.append(f"  distance {answer.distance:.2f}", style="not bold dim")
    shown: list[Tree | Text] = [witness_tree(explanation.best, head)]
    for witness in explanation.runners_up:
        shown.append(Text(f"or, {witness.probability:.3f}", style="dim"))
        shown.extend(Text("  ") + _line(atom) for atom in witness.atoms)
    return shown


def witness_tree(witness: Witness, head: Text) -> Tree:
    """Each atom below the variable it leads to; a shared variable's atoms once."""
    from rich.tree import Tree

    tree = Tree(head)
    told: set[str | None] = set()

    def tell(end: End, branch: Tree) -> None:
        if end.variable in told:
            return
        told.add(end.variable)
        for atom in witness.atoms:
            if atom.destination.variable == end.variable:
                below = branch.add(_line(atom))
                if atom.source.variable is not None:
                    tell(atom.source, below)

    tell(witness.atoms[-1].destination, tree)
    return tree


def _line(atom: Atom) -> Text:
    from rich.text import Text

    colour = "green" if atom.known else "yellow"
    ends = ", ".join(_named(end) for end in (atom.subject, atom.object))
    line = Text(f"{printable(atom.relation)}({ends})  ")
    line.append("known" if atom.known else f"predicted, {atom.probability:.3f}", style=colour)
    return line


def _named(end: End) -> str:
    label = printable(end.label)
    return label if end.variable is None else f"{end.variable} = {label}"
