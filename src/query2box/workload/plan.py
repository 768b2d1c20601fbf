"""Skeletons as plans for the random walks of `kernels.sampling`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from query2box.query.nodes import (
    Anchor,
    Intersection,
    Projection,
    Query,
    Union,
    Variable,
    operands_of,
    shape,
    walk,
)
from query2box.query.skeleton import slot_counts

if TYPE_CHECKING:
    from query2box.kernels.sampling import Plan

Direction: TypeAlias = Literal["backward", "forward"]
DIRECTIONS: tuple[Direction, ...] = ("backward", "forward")


class _Edge(NamedTuple):
    """A projection, as an edge of the pattern."""

    source: int
    destination: int
    slot: int


@lru_cache(maxsize=1024)
def plan_of(skeleton: Query, direction: Direction) -> Plan:
    """How to draw queries of a skeleton.

    Backward: the target first, then pre-order (Query2box, appendix D). Forward:
    the first anchor, along its path to the target, and whatever else leads to
    an entity of that path backwards from there.
    """
    from query2box.kernels.sampling import BACKWARD, FORWARD, LINK, Plan
    from query2box.kernels.traversal import read_only

    pattern = _Pattern(skeleton)
    start = pattern.target if direction == "backward" else pattern.anchors[0]
    known = {start}
    done: set[int] = set()
    steps: list[tuple[int, int, int, int]] = []

    def step(edge: _Edge, kind: int, known_end: int, other_end: int) -> None:
        linked = other_end in known
        done.add(edge.slot)
        known.add(other_end)
        steps.append(
            (LINK, edge.source, edge.destination, edge.slot)
            if linked
            else (kind, known_end, other_end, edge.slot)
        )

    def expand(register: int) -> None:
        for edge in pattern.edges:
            if edge.destination == register and edge.slot not in done:
                step(edge, BACKWARD, register, edge.source)
                expand(edge.source)

    expand(start)
    if direction == "forward":
        for edge in pattern.path_to_first_anchor():
            if edge.slot not in done:
                step(edge, FORWARD, edge.source, edge.destination)
                expand(edge.destination)

    branches, runs = _branches(skeleton)
    return Plan(
        read_only(_table(steps, 4)),
        start,
        pattern.target,
        pattern.registers,
        read_only(np.array([pattern.anchors[slot] for slot in sorted(pattern.anchors)], np.int32)),
        read_only(_table(_successions(skeleton), 2)),
        read_only(np.array([slot for branch in branches for slot in branch], np.int32)),
        read_only(np.cumsum([0, *map(len, branches)], dtype=np.int32)),
        read_only(_table(runs, 2)),
    )


def _table(rows: Sequence[tuple[int, ...]], width: int) -> npt.NDArray[np.int32]:
    return np.array(rows, np.int32).reshape(-1, width)


class _Pattern:
    """The graph pattern of a skeleton: a register for each entity that takes part.

    The operands of an intersection share their entity, and so do those of a
    union: every branch of it is drawn to reach the same target, as the authors'
    queries do.
    """

    def __init__(self, skeleton: Query) -> None:
        self.skeleton = skeleton
        self.num_anchors, _ = slot_counts(skeleton)
        self._merged: dict[int, int] = {}
        self._count = 1
        self._variables: dict[int, int] = {}
        self._edges: list[_Edge] = []
        self._anchors: dict[int, int] = {}
        for branch in skeleton.operands if isinstance(skeleton, Union) else (skeleton,):
            # The branches of a union on top number their variables each from 1.
            self._variables.clear()
            self._visit(branch, 0)
        names = {self._find(register) for register in range(self._count)}
        number = {register: i for i, register in enumerate(sorted(names))}

        def final(register: int) -> int:
            return number[self._find(register)]

        self.registers = len(number)
        self.target = final(0)
        self.anchors = {slot: final(register) for slot, register in self._anchors.items()}
        self.edges = [_Edge(final(s), final(d), slot) for s, d, slot in self._edges]

    def _find(self, register: int) -> int:
        while register in self._merged:
            register = self._merged[register]
        return register

    def _visit(self, query: Query, register: int) -> None:
        match query:
            case Anchor(slot):
                self._anchors[int(slot)] = register
            case Projection(slot, operand):
                source = self._count
                self._count += 1
                self._edges.append(_Edge(source, register, self.num_anchors + int(slot)))
                self._visit(operand, source)
            case Variable(label, definition):
                if label not in self._variables:
                    self._variables[label] = register
                    self._visit(definition, register)
                    return
                one, other = self._find(self._variables[label]), self._find(register)
                if one != other:
                    self._merged[other] = one
            case _:
                for operand in query.operands:
                    self._visit(operand, register)

    def path_to_first_anchor(self) -> list[_Edge]:
        """The edges on the path from the first anchor to the target, in that order."""
        by_slot = {edge.slot: edge for edge in self.edges}
        path = []
        node = self.skeleton
        while not isinstance(node, Anchor):
            if isinstance(node, Projection):
                path.append(by_slot[self.num_anchors + int(node.relation)])
            node = operands_of(node)[0]
        return path[::-1]


def _successions(skeleton: Query) -> list[tuple[int, int]]:
    """The slots of each relation and of one that comes right before it on a path."""
    offset, _ = slot_counts(skeleton)
    return sorted(
        {
            (offset + int(node.relation), offset + int(before.relation))
            for node in walk(skeleton)
            if isinstance(node, Projection)
            for before in _last_projections(node.operand)
        }
    )


def _last_projections(query: Query) -> list[Projection]:
    """The projections that a query ends in."""
    if isinstance(query, Projection):
        return [query]
    return [last for operand in operands_of(query) for last in _last_projections(operand)]


def _branches(skeleton: Query) -> tuple[list[list[int]], list[tuple[int, int]]]:
    """The slots of operands of one shape below one node, and which of them are siblings."""
    offset, _ = slot_counts(skeleton)
    branches: list[list[int]] = []
    runs: list[tuple[int, int]] = []
    for node in walk(skeleton):
        if not isinstance(node, Intersection | Union):
            continue
        for _, siblings in groupby(node.operands, key=shape):
            slots = [_slots(operand, offset) for operand in siblings]
            if len(slots) > 1:
                runs.append((len(branches), len(branches) + len(slots)))
                branches += slots
    return branches, runs


def _slots(query: Query, offset: int) -> list[int]:
    """The slots of a query, each once, in the order in which queries of one shape compare."""
    slots = (
        int(node.entity) if isinstance(node, Anchor) else offset + int(node.relation)
        for node in walk(query)
        if isinstance(node, Anchor | Projection)
    )
    return list(dict.fromkeys(slots))
