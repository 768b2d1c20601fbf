"""What both languages are read into: a target variable and a positive formula.

Positions are places in the text, kept for error messages; they do not count
when two formulas are compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from query2box.query.nodes import Symbol


@dataclass(frozen=True, slots=True)
class Var:
    """A variable, `?name`."""

    name: str
    position: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Name:
    """An entity or a relation; `verbatim` is how it is spelt where that may be a name too."""

    symbol: Symbol
    position: int | None = field(default=None, compare=False)
    verbatim: str | None = field(default=None, compare=False)


Term: TypeAlias = Var | Name


@dataclass(frozen=True, slots=True)
class Atom:
    """`relation(subject, object)`."""

    relation: Name
    subject: Term
    object: Term
    position: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class And:
    """All parts hold."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """At least one part holds."""

    parts: tuple[Formula, ...]


Formula: TypeAlias = Atom | And | Or


@dataclass(frozen=True, slots=True)
class Sentence:
    """A question as written: which values of `target` make `formula` true?"""

    target: Var
    formula: Formula
    text: str | None = field(default=None, compare=False)
    limit: int | None = None
    selected: tuple[str, ...] = field(default=(), compare=False)
    """The names of all variables whose values the text wants, in its order."""


def atoms(formula: Formula) -> Iterator[Atom]:
    """The atoms of a formula in the order of its text."""
    if isinstance(formula, Atom):
        yield formula
    else:
        for part in formula.parts:
            yield from atoms(part)


def variables(formula: Formula) -> dict[str, Var]:
    """The variables of a formula by name, each at its first place."""
    found: dict[str, Var] = {}
    for atom in atoms(formula):
        for term in (atom.subject, atom.object):
            if isinstance(term, Var):
                found.setdefault(term.name, term)
    return found


def place(formula: Formula) -> int | None:
    """Where a formula begins."""
    return next(atoms(formula)).position


def inverse(relation: Symbol) -> Symbol:
    """The relation that leads back."""
    if isinstance(relation, int):
        return relation ^ 1
    return relation[1:] if relation.startswith("^") else "^" + relation


def is_inverse(relation: Symbol) -> bool:
    """Whether a relation leads back along stored edges."""
    return relation.startswith("^") if isinstance(relation, str) else bool(relation & 1)


def undoubled(relation: str) -> str:
    """A relation's name with at most one `^`: two turns lead back."""
    name = relation.lstrip("^")
    return "^" * ((len(relation) - len(name)) % 2) + name
