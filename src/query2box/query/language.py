"""Text to queries: formulas and SPARQL, told apart by how they begin."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from query2box.errors import UnknownNameError
from query2box.query.compile import computation_graph
from query2box.query.formula import read_formula
from query2box.query.names import Names, bound_entity, bound_relation
from query2box.query.nodes import Query, Symbol
from query2box.query.syntax import And, Atom, Formula, Name, Or, Sentence, Term


@dataclass(frozen=True, slots=True)
class Question:
    """A query, the name of its target, and how many answers its text asks for at most."""

    query: Query
    target: str
    limit: int | None = None
    selected: tuple[str, ...] = ()
    """The target and whatever else a SPARQL text selects, in its order."""


def parse(text: str, names: Names | None = None) -> Query:
    """The query that a formula or a SPARQL text asks.

    With `names`, e.g. a knowledge graph, it comes with ids, and a name that the
    graph lacks is refused; without, it comes with names as they are written.
    """
    return parse_question(text, names).query


def parse_formula(text: str, names: Names | None = None) -> Query:
    """The query that a formula asks."""
    return _question(read_formula(text), names).query


def parse_sparql(text: str, names: Names | None = None) -> Query:
    """The query that a SPARQL text asks."""
    return _question(_sparql(text), names).query


def parse_question(
    text: str, names: Names | None = None, *, also_selected: Collection[str] = ()
) -> Question:
    """The query that a text asks, with its target and its limit.

    SPARQL may select the variables `also_selected` beside the target; what
    they hold is for the caller to say.
    """
    if is_sparql(text):
        return _question(_sparql(text, also_selected), names)
    return _question(read_formula(text), names)


_SPARQL = re.compile(
    r"\s*(?: \#(?![0-9]+\s*:) | (?:select|prefix|base|ask|construct|describe)\b"
    r"| (?:insert|delete|load|clear|drop|create|add|move|copy|with)(?=[\s{]) )",
    re.VERBOSE | re.IGNORECASE,
)


def is_sparql(text: str) -> bool:
    """Whether a text begins like SPARQL."""
    return _SPARQL.match(text) is not None


def _sparql(text: str, also_selected: Collection[str] = ()) -> Sentence:
    from query2box.query.sparql import read_sparql

    return read_sparql(text, also_selected)


def _question(sentence: Sentence, names: Names | None) -> Question:
    if names is not None:
        sentence = look_up(sentence, names)
    query, target = computation_graph(sentence), sentence.target.name
    return Question(query, target, sentence.limit, sentence.selected or (target,))


def look_up(sentence: Sentence, names: Names) -> Sentence:
    """The sentence with ids in place of names; a name that is not there is refused."""

    def found(name: Name, bound: Callable[[Symbol, Names], int]) -> Name:
        try:
            return Name(bound(name.symbol, names), name.position)
        except UnknownNameError as error:
            try:
                if name.verbatim is not None:
                    return Name(bound(name.verbatim, names), name.position)
            except UnknownNameError:
                pass
            if sentence.text is not None and name.position is not None:
                error.at(sentence.text, name.position)
            raise error from None

    def term(term: Term) -> Term:
        return found(term, bound_entity) if isinstance(term, Name) else term

    def visit(formula: Formula) -> Formula:
        match formula:
            case Atom(relation, subject, object):
                return replace(
                    formula,
                    relation=found(relation, bound_relation),
                    subject=term(subject),
                    object=term(object),
                )
            case And(parts):
                return And(tuple(map(visit, parts)))
            case Or(parts):
                return Or(tuple(map(visit, parts)))

    return replace(sentence, formula=visit(sentence.formula))
