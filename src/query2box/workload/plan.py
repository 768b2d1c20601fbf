"""Skeletons as plans for the random walks of `kernels.sampling`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from query2box.query.legality import check_legal
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
Starts: TypeAlias = Literal["entities", "relations", "edges"]
"""What the first entity of a walk is uniform over."""


@lru_cache(maxsize=1024)
def plan_of(skeleton: Query, direction: Direction) -> Plan:
    """How to draw queries of a skeleton.

    Backward: the target first, then pre-order (Query2box, appendix D). Forward:
    the first anchor, along its path to the target, and whatever else leads to an
    entity of that path backwards from there.
    """
    from query2box.kernels.sampling import BACKWARD, FORWARD, LINK, START, Plan
    from query2box.kernels.traversal import read_only

    check_legal(skeleton)
    pattern = _Pattern(skeleton, united=direction == "backward")
    known: set[int] = set()
    done: set[_Edge] = set()
    steps: list[tuple[int, int, int, int]] = []

    def start(register: int) -> None:
        if register not in known:
            known.add(register)
            steps.append((START, register, register, 0))
            expand(register)

    def follow(edge: _Edge, kind: int) -> None:
        if edge in done:
            return
        done.add(edge)
        ends = edge.source, edge.destination
        here, there = ends if kind == FORWARD else ends[::-1]
        if there in known:
            steps.append((LINK, *ends, edge.slot))
        else:
            known.add(there)
            steps.append((kind, here, there, edge.slot))
            expand(there)

    def expand(register: int) -> None:
        for edge in pattern.edges:
            if edge.destination == register:
                follow(edge, BACKWARD)

    if direction == "backward":
        start(pattern.target)
    else:
        for root in pattern.roots:
            first_anchor, path = pattern.path_to(root)
            start(first_anchor)
            for edge in path:
                follow(edge, FORWARD)

    branches, runs = _branches(skeleton)
    return Plan(
        read_only(_table(steps, 4)),
        pattern.target,
        pattern.registers,
        len(pattern.edges),
        read_only(np.array([pattern.anchors[slot] for slot in sorted(pattern.anchors)], np.int32)),
        read_only(_table(_successions(skeleton), 2)),
        read_only(np.array([slot for branch in branches for slot in branch], np.int32)),
        read_only(np.cumsum([0, *map(len, branches)], dtype=np.int32)),
        read_only(_table(runs, 2)),
    )


def _table(rows: Sequence[tuple[int, ...]], width: int) -> npt.NDArray[np.int32]:
    return np.array(rows, np.int32).reshape(-1, width)


class _Edge(NamedTuple):
    """A projection, as an edge between registers."""

    source: int
    destination: int
    slot: int


class _Pattern:
    """The graph pattern of a skeleton: a register for each entity that takes part.

    The operands of an intersection share their entity. Those of a union do if
    they are `united`; else each but the first is a root of its own, as in the
    authors' published queries, where the branches of a union hardly ever meet.
    """

    def __init__(self, skeleton: Query, united: bool) -> None:
        self.target = 0
        self.registers = 1
        self.edges: list[_Edge] = []
        self.anchors: dict[int, int] = {}
        self.roots = [skeleton]
        self._skeleton = skeleton
        self._united = united
        self._num_anchors, _ = slot_counts(skeleton)
        self._variables: dict[int, int] = {}
        self._visit(skeleton, self.target)

    def _visit(self, query: Query, register: int) -> None:
        match query:
            case Anchor(slot):
                self.anchors[int(slot)] = register
            case Projection(slot, operand):
                label = operand.label if isinstance(operand, Variable) else None
                source = self._variables.get(label, self.registers) if label else self.registers
                self.edges.append(_Edge(source, register, self._slot(query)))
                if source < self.registers:
                    return
                self.registers += 1
                if label:
                    self._variables[label] = source
                self._visit(operand, source)
            case Variable(_, definition):
                self._visit(definition, register)
            case Intersection(operands):
                for operand in operands:
                    self._visit(operand, register)
            case Union(operands):
                self._visit_union(operands, register, query is self._skeleton)

    def _visit_union(self, operands: tuple[Query, ...], register: int, on_top: bool) -> None:
        for operand in operands:
            if on_top:
                # Here, and nowhere else, branches number their variables each from 1.
                self._variables.clear()
            if self._united or operand is operands[0]:
                self._visit(operand, register)
            else:
                self.roots.append(operand)
                self.registers += 1
                self._visit(operand, self.registers - 1)

    def _slot(self, node: Projection) -> int:
        return self._num_anchors + int(node.relation)

    def path_to(self, root: Query) -> tuple[int, list[_Edge]]:
        """The register of the first anchor below a root, and the edges from it to the root."""
        by_slot = {edge.slot: edge for edge in self.edges}
        path = []
        node = root
        while not isinstance(node, Anchor):
            if isinstance(node, Projection):
                path.append(by_slot[self._slot(node)])
            node = operands_of(node)[0]
        return self.anchors[int(node.entity)], path[::-1]


def _successions(skeleton: Query) -> list[tuple[int, int]]:
    """The slots of each relation and of one that comes right before it on a path.

    A path goes on through intersections and unions.
    """
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
