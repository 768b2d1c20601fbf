"""Which edges a step tells the relations of, and from which other relations."""

from __future__ import annotations

import numpy as np
import torch

from query2box.graph.adjacency import Adjacency, IntArray
from query2box.kernels.loss import Links
from query2box.workload.query_set import Ragged

CANDIDATES = 1024
"""Relations that an edge's own is told from; of more, so many are drawn each time."""
PARALLEL = 64
"""How far apart two of the relations between the same entities may stand to be seen together."""


class EdgeSampler:
    """Draws edges, each as likely as the others, with what may stand beside their relations.

    Where two relations lead between the same entities once, either may be what is missing
    beside the other elsewhere. A graph is incomplete: to tell those two apart would be to
    deny just what is to be found.
    """

    def __init__(self, adjacency: Adjacency, candidates: int = CANDIDATES) -> None:
        self.adjacency = adjacency
        self.num_relations = int(adjacency.group_relations.max(initial=-1)) + 1
        self.num_relations += self.num_relations % 2  # an inverse belongs to every relation
        self.candidates = candidates
        sizes = np.diff(adjacency.entity_groups)
        self._heads = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)  # of each group
        self.companions = self._companions()
        """The relations that may stand beside each directed one, itself among them, ascending."""

    def _companions(self) -> Ragged:
        sizes = np.diff(self.adjacency.group_objects)
        ways = np.repeat(self._heads, sizes).astype(np.int64) * self.adjacency.num_entities
        ways += self.adjacency.objects
        order = np.argsort(ways, kind="stable")
        ways, relations = ways[order], np.repeat(self.adjacency.group_relations, sizes)[order]
        every = np.arange(self.num_relations, dtype=np.int64)
        pairs = every * self.num_relations + every
        # Equal ways stand together: all pairs of them, first those next to each other.
        rows = np.arange(len(ways))
        for apart in range(1, min(len(ways), PARALLEL)):
            rows = rows[rows < len(ways) - apart]
            rows = rows[ways[rows] == ways[rows + apart]]
            if not len(rows):
                break
            both = np.stack((relations[rows], relations[rows + apart])).astype(np.int64)
            pairs = np.union1d(pairs, both * self.num_relations + both[::-1])
        own, beside = np.divmod(pairs, max(self.num_relations, 1))
        return Ragged.from_counts(np.bincount(own, minlength=len(every)), beside.astype(np.int32))

    def draw(self, count: int, share: float, generator: np.random.Generator) -> Links:
        """So many edges, which together weigh `share`."""
        at = generator.integers(len(self.adjacency.objects), size=count)
        group = np.searchsorted(self.adjacency.group_objects, at, side="right") - 1
        relations = self.adjacency.group_relations[group]
        candidates = self._candidates(relations, generator)
        place = np.full(self.num_relations, -1, np.int32)
        place[candidates] = np.arange(len(candidates), dtype=np.int32)
        known = self.companions.take(relations)
        there = place[known.values] >= 0
        ends = np.append(0, np.cumsum(there))[known.offsets]
        arrays = (
            candidates,
            self._heads[group],
            self.adjacency.objects[at],
            place[relations],
            ends,
            place[known.values[there]],
            np.full(count, share / count, np.float32),
            generator.random(count, np.float32),
        )
        return Links(*map(torch.from_numpy, arrays))

    def _candidates(self, relations: IntArray, generator: np.random.Generator) -> IntArray:
        """All relations or, where there are too many, those of the edges and some others."""
        every = np.arange(self.num_relations, dtype=np.int32)
        own = np.unique(relations)
        if len(every) <= self.candidates:
            return every
        others = np.setdiff1d(every, own)
        count = min(max(self.candidates - len(own), 0), len(others))
        drawn = generator.choice(others, count, replace=False)
        return np.sort(np.concatenate((own, drawn)))
