"""Why this entity: the values of bound variables that speak for it most.

An atom counts by its probability: 1 for a stored edge, or else what the model
gives the edge as a question of its own. An assignment counts by the product.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from query2box.answering.answers import Answer, question_json
from query2box.answering.assignment import Check, Problem, assignments, go_on
from query2box.answering.beams import Beams, values_of
from query2box.answering.calibration import Calibration
from query2box.answering.pattern import Bound, Constant, Pattern, PatternAtom
from query2box.answering.space import Space
from query2box.errors import QueryError
from query2box.graph.knowledge_graph import KnowledgeGraph
from query2box.query.dnf import disjuncts, to_dnf
from query2box.query.nodes import Query
from query2box.query.render import render

TARGET = "?t"

MAX_ATOMS = 64
"""Atoms of a disjunct that is explained."""

LEAST = 1e-9
"""No edge is impossible."""

PREDICTED = 1e-4
"""What it costs not to be known: stored edges come before predictions just as likely."""

CLOSENESS = 1e-9
"""What a unit of distance costs: it only decides between equals."""


@dataclass(frozen=True, slots=True)
class End:
    """An end of an atom: an entity and, unless the question names it, its variable."""

    id: int
    entity: str
    label: str
    variable: str | None

    def to_json(self) -> dict[str, Any]:
        """As `q2b explain --json` prints it."""
        return {"entity": self.entity, "label": self.label, "variable": self.variable}


@dataclass(frozen=True, slots=True)
class Atom:
    """relation(subject, object), along the stored edges' direction."""

    relation: str
    subject: End
    object: End
    forward: bool
    """Whether the question's way to its target is from the subject to the object."""
    known: bool
    probability: float
    distance: float

    @property
    def source(self) -> End:
        """Where the question comes from."""
        return self.subject if self.forward else self.object

    @property
    def destination(self) -> End:
        """Where the question leads, nearer to its target."""
        return self.object if self.forward else self.subject

    def to_json(self) -> dict[str, Any]:
        """As `q2b explain --json` prints it."""
        return {
            "relation": self.relation,
            "subject": self.subject.to_json(),
            "object": self.object.to_json(),
            "known": self.known,
            "probability": self.probability,
            "distance": self.distance,
        }


@dataclass(frozen=True, slots=True)
class Witness:
    """Values for all variables of a disjunct, with which its atoms speak for the answer."""

    disjunct: Query
    atoms: tuple[Atom, ...]
    """Those that lead to a variable come before those that lead on from it."""
    probability: float
    """The product over the atoms."""

    @property
    def known(self) -> bool:
        """Whether every atom is a stored edge."""
        return all(atom.known for atom in self.atoms)

    def to_json(self, graph: KnowledgeGraph) -> dict[str, Any]:
        """As `q2b explain --json` prints it."""
        return {
            "disjunct": render(self.disjunct, graph),
            "probability": self.probability,
            "known": self.known,
            "atoms": [atom.to_json() for atom in self.atoms],
        }


@dataclass(frozen=True, slots=True)
class Explanation:
    """An answer, what speaks for it most, and what speaks for it next."""

    query: Query
    answer: Answer
    best: Witness
    runners_up: tuple[Witness, ...]
    disjuncts: int
    exact: bool
    """Whether no other values speak for it more; if not, only the likeliest were tried."""

    def to_json(self, graph: KnowledgeGraph) -> dict[str, Any]:
        """As `q2b explain --json` prints it."""
        return {
            "query": question_json(self.query, graph),
            "answer": self.answer.to_json(),
            "disjuncts": self.disjuncts,
            "exact": self.exact,
            "best": self.best.to_json(graph),
            "runners_up": [witness.to_json(graph) for witness in self.runners_up],
        }


def explain(
    query: Query,
    answer: Answer,
    space: Space,
    calibration: Calibration,
    graph: KnowledgeGraph,
    runners_up: int = 3,
    check: Check = go_on,
) -> Explanation:
    """What speaks for an answer of a query by id, with the graph's edges as stored ones.

    `check` is called again and again; it may raise to end a long search.
    """
    found: list[tuple[float, Witness]] = []
    whole = True
    parts = disjuncts(to_dnf(query))
    for disjunct in parts:
        case = _Case(disjunct, answer.id, space, calibration, graph, check)
        found += islice(case.witnesses(), runners_up + 1)
        whole &= case.whole
    found.sort(key=lambda rated: -rated[0])
    best, *others = (witness for _, witness in found[: runners_up + 1])
    return Explanation(query, answer, best, tuple(others), len(parts), best.known or whole)


class _Case:
    """One disjunct of a question, and an entity as its target."""

    def __init__(
        self,
        disjunct: Query,
        target: int,
        space: Space,
        calibration: Calibration,
        graph: KnowledgeGraph,
        check: Check,
    ) -> None:
        self.disjunct = disjunct
        self.check = check
        self.space, self.calibration, self.graph = space, calibration, graph
        self.pattern = Pattern.of(disjunct)
        if len(self.pattern.atoms) > MAX_ATOMS:
            raise QueryError(f"a question of more than {MAX_ATOMS} atoms is not explained")
        beams = Beams(self.pattern, target, space, graph, check)
        self.whole = beams.whole or len(self.pattern.definitions) == 1
        self.values = beams.candidates()
        self.edges = {atom: self._edges(atom) for atom in self.pattern.atoms}

    def witnesses(self) -> Iterator[tuple[float, Witness]]:
        """Witnesses and their ratings, the best first."""
        for rating, places in assignments(self._problem(), self.check):
            yield rating, self._witness(places)

    def _edges(self, atom: PatternAtom) -> _Edges:
        self.check()
        sources, destinations = values_of(atom.source, self.values), self.values[atom.destination]
        distances = self.space.distances(
            self.space.step(sources, atom.relation), destinations
        ).astype(np.float64)
        find = self.graph.adjacency.find
        known = np.array([np.isin(destinations, find(int(s), atom.relation)) for s in sources])
        likely = np.maximum(self.calibration.edges(distances), LEAST)
        return _Edges(known, np.where(known, 1.0, likely), distances)

    def _problem(self) -> Problem:
        """The question's atoms as ratings: logarithms of probabilities."""
        pattern = self.pattern
        count = len(pattern.definitions)
        problem = Problem(
            [np.zeros(len(values)) for values in self.values],
            [-1] * count,
            [np.zeros((0, 0))] * count,
        )
        for atom in pattern.atoms:
            ratings = self.edges[atom].ratings()
            end = atom.destination
            if isinstance(atom.source, Constant):
                problem.own[end] = problem.own[end] + ratings[0]
                continue
            start = atom.source.number
            if end < start and problem.parents[start] < 0:
                problem.parents[start] = end
                problem.tables[start] = ratings
            else:
                pair = (max(start, end), min(start, end))
                table = ratings if start > end else ratings.T
                problem.others[pair] = problem.others.get(pair, 0.0) + table
        return problem

    def _witness(self, places: tuple[int, ...]) -> Witness:
        atoms = tuple(self._atom(atom, places) for atom in self.pattern.atoms)
        probability = float(np.prod([atom.probability for atom in atoms]))
        return Witness(self.disjunct, atoms, probability)

    def _atom(self, atom: PatternAtom, places: tuple[int, ...]) -> Atom:
        row = places[atom.source.number] if isinstance(atom.source, Bound) else 0
        column = places[atom.destination]
        edges = self.edges[atom]
        ends = [
            self._end(atom.source, int(values_of(atom.source, self.values)[row])),
            self._end(Bound(atom.destination), int(self.values[atom.destination][column])),
        ]
        subject, object_ = ends[::-1] if atom.relation & 1 else ends
        return Atom(
            self.graph.relation_name(atom.relation & ~1),
            subject,
            object_,
            not atom.relation & 1,
            bool(edges.known[row, column]),
            float(edges.probabilities[row, column]),
            float(edges.distances[row, column]),
        )

    def _end(self, term: Bound | Constant, entity: int) -> End:
        variable = _variable_name(term.number) if isinstance(term, Bound) else None
        return End(entity, self.graph.entities[entity], self.graph.label(entity), variable)


@dataclass(frozen=True, eq=False)
class _Edges:
    """An atom's edges between all values of its ends [sources, destinations]."""

    known: npt.NDArray[np.bool_]
    probabilities: npt.NDArray[np.float64]
    distances: npt.NDArray[np.float64]

    def ratings(self) -> npt.NDArray[np.float64]:
        """Logarithms of probabilities, with what decides between equals."""
        costs: npt.NDArray[np.float64] = PREDICTED * ~self.known + CLOSENESS * self.distances
        return np.log(self.probabilities) - costs


def _variable_name(number: int) -> str:
    """?t for the target, then ?x, ?y, ?z, ?x1, ..."""
    if number == 0:
        return TARGET
    letter, further = "xyz"[(number - 1) % 3], (number - 1) // 3
    return f"?{letter}{further or ''}"
