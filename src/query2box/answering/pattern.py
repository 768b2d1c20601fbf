"""A conjunctive question as atoms between variables and constants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from query2box.query.nodes import Anchor, Intersection, Projection, Query, Union, Variable


@dataclass(frozen=True, slots=True)
class Bound:
    """A variable by its number."""

    number: int


@dataclass(frozen=True, slots=True)
class Constant:
    """An entity that the question names."""

    entity: int


Term: TypeAlias = Bound | Constant


@dataclass(frozen=True, slots=True)
class PatternAtom:
    """A directed relation that leads from a term to a variable."""

    source: Term
    relation: int
    destination: int


@dataclass(frozen=True, slots=True)
class Pattern:
    """All atoms of a conjunctive question by id.

    Variables are numbered from the target outwards: every variable but the
    target has an atom that leads to one of a lower number.
    """

    atoms: tuple[PatternAtom, ...]
    definitions: tuple[Query, ...]
    """The question that each variable is the answer of, the target's first."""

    @classmethod
    def of(cls, query: Query) -> Pattern:
        """The pattern of a query without unions."""
        atoms: list[PatternAtom] = []
        definitions: list[Query] = []
        shared: dict[int, Bound] = {}

        def variable(definition: Query) -> Bound:
            definitions.append(definition)
            return Bound(len(definitions) - 1)

        def visit(node: Query, destination: int) -> None:
            """Collect the atoms that say what a variable is."""
            match node:
                case Projection(relation, operand):
                    atoms.append(PatternAtom(term(operand), int(relation), destination))
                case Intersection(operands):
                    for operand in operands:
                        visit(operand, destination)
                case Anchor() | Variable() | Union():
                    raise ValueError("a pattern is made of a legal query without unions")

        def term(operand: Query) -> Term:
            match operand:
                case Anchor(entity):
                    return Constant(int(entity))
                case Variable(label, definition):
                    if label not in shared:
                        shared[label] = variable(definition)
                        visit(definition, shared[label].number)
                    return shared[label]
            bound = variable(operand)
            visit(operand, bound.number)
            return bound

        visit(query, variable(query).number)
        return cls(tuple(atoms), tuple(definitions))

    def into(self, variable: int) -> list[PatternAtom]:
        """The atoms that lead to a variable."""
        return [atom for atom in self.atoms if atom.destination == variable]

    def out_of(self, variable: int) -> list[PatternAtom]:
        """The atoms that lead on from a variable."""
        return [atom for atom in self.atoms if atom.source == Bound(variable)]
