"""Which edges a step tells the relations of."""

from __future__ import annotations

import numpy as np
import torch

from query2box.graph.adjacency import Adjacency, IntArray
from query2box.kernels.loss import Links

CANDIDATES = 1024
"""Relations that an edge's own is told from; of more, so many are drawn each time."""


class EdgeSampler:
    """Draws edges, each as likely as the others, with all relations between their ends."""

    def __init__(self, adjacency: Adjacency, candidates: int = CANDIDATES) -> None:
        self.adjacency = adjacency
        self.num_relations = int(adjacency.group_relations.max(initial=-1)) + 1
        self.num_relations += self.num_relations % 2  # an inverse belongs to every relation
        self.candidates = candidates

    def draw(self, count: int, share: float, generator: np.random.Generator) -> Links:
        """So many edges, which together weigh `share`."""
        from query2box.kernels.links import draw_links
        from query2box.kernels.traversal import edges_of

        heads, relations, tails = (np.empty(count, np.int32) for _ in range(3))
        counts = np.empty(count, np.int64)
        seed = int(generator.integers(2**63))
        known = draw_links(seed, edges_of(self.adjacency), heads, relations, tails, counts)
        candidates = self._candidates(relations, generator)
        place = np.full(self.num_relations, -1, np.int32)
        place[candidates] = np.arange(len(candidates), dtype=np.int32)
        there = place[known] >= 0
        ends = np.append(0, np.cumsum(there))[np.append(0, np.cumsum(counts))]
        arrays = (
            candidates,
            heads,
            tails,
            place[relations],
            ends,
            place[known[there]],
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
