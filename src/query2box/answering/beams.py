"""Which values of a bound variable are worth a look."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from typing import TypeGuard

import numpy as np
import numpy.typing as npt

from query2box.answering.assignment import Check, go_on
from query2box.answering.pattern import Bound, Constant, Pattern, PatternAtom
from query2box.answering.space import Space
from query2box.graph.adjacency import IntArray
from query2box.graph.knowledge_graph import KnowledgeGraph
from query2box.kernels.nearest import Boxes
from query2box.query.names import bind
from query2box.query.skeleton import skeleton_of
from query2box.workload.denotation import denotation

BEAM = 32
"""Values that each way of looking for them gives."""

EVERYBODY = 256
"""Graphs of no more entities are searched whole."""

MAX_TRIES = 20_000
"""Values that the search for a known witness tries."""


class Beams:
    """Candidates for the variables of a pattern whose target has a value.

    Values come from the stored edges, from either side, and from the model, from
    either side; those of a witness whose edges are all stored are always there.
    """

    def __init__(
        self,
        pattern: Pattern,
        target: int,
        space: Space,
        graph: KnowledgeGraph,
        check: Check = go_on,
    ) -> None:
        self.pattern = pattern
        self.target = target
        self.space = space
        self.graph = graph
        self.check = check
        self.whole = graph.num_entities <= EVERYBODY
        self.boxes = [self._boxes(variable) for variable in range(len(pattern.definitions))]
        self.answers = [denotation(definition, graph) for definition in pattern.definitions]
        self._tries = MAX_TRIES

    def candidates(self) -> list[IntArray]:
        """The values of each variable to choose from, ascending."""
        witness = self.known_witness()
        found = [np.array([self.target], np.int32)]
        for variable in range(1, len(self.pattern.definitions)):
            self.check()
            if self.whole:
                found.append(np.arange(self.graph.num_entities, dtype=np.int32))
                continue
            parts = [*self._looked_for(variable, found)]
            if witness:
                parts.append(np.array([witness[variable]]))
            found.append(np.unique(np.concatenate(parts)).astype(np.int32))
        return found

    def _looked_for(self, variable: int, found: list[IntArray]) -> Iterator[IntArray]:
        """The nearest of those that edges lead back to, that edges lead to, and of all."""
        leading = [a for a in self.pattern.out_of(variable) if a.destination < variable]
        before = reduce(
            np.union1d, (self._before(atom, found[atom.destination]) for atom in leading)
        )
        # Where the next variables' values would be reached from, by the model.
        back = _as_one(
            [self.space.step(found[atom.destination], atom.relation ^ 1) for atom in leading]
        )
        forward = self.boxes[variable]
        yield self._nearest(forward, np.intersect1d(before, self.answers[variable]))
        yield self._nearest(forward, before)
        yield self._nearest(back, self.answers[variable])
        yield self._nearest(forward, None)
        yield self._nearest(back, None)

    def known_witness(self) -> tuple[int, ...] | None:
        """Values by which every atom is a stored edge, if there are any.

        Where a variable is shared the search may give up, and then there may be some.
        """
        if not len(np.intersect1d(self.answers[0], [self.target])):
            return None
        return self._extended((self.target,))

    def _extended(self, values: tuple[int, ...]) -> tuple[int, ...] | None:
        variable = len(values)
        if variable == len(self.pattern.definitions):
            return values
        allowed = self.answers[variable]
        for atom in self.pattern.atoms:
            if atom.source == Bound(variable) and atom.destination < variable:
                allowed = np.intersect1d(allowed, self._before(atom, [values[atom.destination]]))
            elif atom.destination == variable and _is_before(atom.source, variable):
                reached = self.graph.adjacency.find(values[atom.source.number], atom.relation)
                allowed = np.intersect1d(allowed, reached)
        for value in self._nearest(self.boxes[variable], allowed, len(allowed)).tolist():
            self.check()
            self._tries -= 1
            if self._tries < 0:
                return None
            if found := self._extended((*values, value)):
                return found
        return None

    def _before(self, atom: PatternAtom, values: npt.ArrayLike) -> IntArray:
        """Where stored edges of an atom come from that lead to these values."""
        adjacency = self.graph.adjacency
        parts = [adjacency.find(int(v), atom.relation ^ 1) for v in np.asarray(values)]
        return np.unique(np.concatenate(parts)).astype(np.int32)

    def _boxes(self, variable: int) -> Boxes:
        definition = bind(self.pattern.definitions[variable], self.graph)
        skeleton, *slots = skeleton_of(definition)
        entities, relations = (np.array([slot], np.int32) for slot in slots)
        return self.space.boxes(skeleton, entities, relations)

    def _nearest(self, boxes: Boxes, candidates: IntArray | None, k: int | None = None) -> IntArray:
        found: IntArray = self.space.nearest(boxes, k or BEAM, candidates).entities[0]
        return found


def _as_one(parts: list[Boxes]) -> Boxes:
    """All boxes as the disjuncts of one query."""
    centers, offsets = (np.concatenate([part[i] for part in parts]) for i in range(2))
    return Boxes(centers, offsets, np.array([0, len(centers)]))


def _is_before(term: Bound | Constant, variable: int) -> TypeGuard[Bound]:
    return isinstance(term, Bound) and term.number < variable


def values_of(term: Bound | Constant, found: list[IntArray]) -> IntArray:
    """The values that a term may have."""
    if isinstance(term, Constant):
        return np.array([term.entity], np.int32)
    return found[term.number]
