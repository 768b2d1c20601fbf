"""Which entities queries are held apart from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from query2box.graph.adjacency import Adjacency, IntArray, OffsetArray
from query2box.query.nodes import Anchor, Intersection, Projection, Query, Union, Variable
from query2box.workload.query_set import QueryGroup

WIDE = 1 << 16
"""Relations that lead to more entities than this are not looked at: nearly everything is near."""


class Negatives:
    """Draws negatives for chunks of queries that end with the same relations."""

    def __init__(self, adjacency: Adjacency, count: int, near: float, chunk: int) -> None:
        """`near` is the share of negatives that come from where relations lead."""
        self.num_entities = adjacency.num_entities
        self.count = count
        self.near = round(near * count)
        self.chunk = chunk
        self.range_offsets, self.ranges = _ranges(adjacency)

    def draw(
        self, groups: Sequence[QueryGroup], seed: int
    ) -> tuple[OffsetArray, IntArray, npt.NDArray[np.float32]]:
        """The order of the queries, chunk after chunk, their negatives and their shifts.

        See `kernels.loss.Targets`.
        """
        from query2box.kernels.negatives import draw_negatives

        last = np.concatenate([self.last_relations(group) for group in groups])
        order = np.argsort(last, kind="stable")
        chunks = -(-len(last) // self.chunk)
        negatives = np.empty((chunks, self.count), np.int32)
        shifts = np.empty((chunks, self.count), np.float32)
        draw_negatives(
            seed,
            self.chunk,
            last[order],
            self.range_offsets,
            self.ranges,
            self.num_entities,
            self.near,
            negatives,
            shifts,
        )
        return order, negatives, shifts

    def last_relations(self, group: QueryGroup) -> IntArray:
        """Of the relations that lead to each query's answers the one that leads to the fewest."""
        slots = list(_last_slots(group.skeleton))
        if not slots or not self.near:
            return np.full(len(group), -1, np.int32)
        relations = group.relations[:, slots]
        sizes = np.diff(self.range_offsets)[relations]
        rows = np.arange(len(group))
        fewest = sizes.argmin(1)
        return np.where(sizes[rows, fewest] <= WIDE, relations[rows, fewest], -1).astype(np.int32)


def _last_slots(skeleton: Query) -> Iterator[int]:
    """The slots of the relations after which nothing else is asked."""
    match skeleton:
        case Projection(slot, _):
            yield int(slot)
        case Variable(_, definition):
            yield from _last_slots(definition)
        case Intersection(operands) | Union(operands):
            for operand in operands:
                yield from _last_slots(operand)
        case Anchor():
            return


def _ranges(adjacency: Adjacency) -> tuple[OffsetArray, IntArray]:
    """Where each directed relation leads: the entities that its inverse starts from."""
    groups = np.diff(adjacency.entity_groups)
    entities = np.repeat(np.arange(len(groups), dtype=np.int32), groups)
    relations = adjacency.group_relations ^ 1
    order = np.argsort(relations, kind="stable")
    offsets = np.searchsorted(relations[order], np.arange(relations.max(initial=-1) + 3))
    return offsets.astype(np.int64), entities[order]
