"""Where hard answers stand among the non-answers (CPU)."""

from __future__ import annotations

import numpy as np
from numba import prange

from query2box.kernels.compiled import arithmetic, parallel
from query2box.kernels.distance import box_distances

F = np.float32
FAR = F(1e30)
TILE = 32
BLOCK = 64


@arithmetic
def _count(distance, levels, closer, level):
    """How many distances are below, and how many at, each of the given levels.

    Levels are visited in ascending order: what lies between two of them is below
    all the later ones.
    """
    size = levels.shape[0]
    order = np.argsort(levels)
    ascending = levels[order]
    below = np.zeros(size, np.int64)  # nearer than level j, but not nearer than level j - 1
    equal = np.zeros(size, np.int64)  # noted at the first of equal levels
    for v in range(distance.shape[0]):
        if distance[v] <= ascending[size - 1]:
            j = np.searchsorted(ascending, distance[v])
            if ascending[j] == distance[v]:
                equal[j] += 1
            else:
                below[j] += 1
    nearer = 0
    group = 0
    for j in range(size):
        nearer += below[j]
        if j > 0 and ascending[j] != ascending[j - 1]:
            nearer += equal[group]
            group = j
        closer[order[j]] = nearer
        level[order[j]] = equal[group]


@parallel
def ranks_kernel(
    points,  # [N, D]
    centers,  # [M, D]
    offsets,  # [M, D]
    starts,  # [B + 1], query q has the boxes starts[q] : starts[q + 1]
    easy_offsets,  # [B + 1]
    easy,  # ragged
    hard_offsets,  # [B + 1]
    hard,  # ragged
    alpha,
    closer,  # [len(hard)], out: non-answers nearer than the answer
    level,  # [len(hard)], out: non-answers at just its distance
):
    """Rank each hard answer against the non-answers (Query2box, section 4.2).

    A tile of queries goes over the entities block by block, so that a block is
    read from memory once a tile.
    """
    num_entities = points.shape[0]
    num_queries = starts.shape[0] - 1
    for tile in prange((num_queries + TILE - 1) // TILE):
        first = tile * TILE
        count = min(TILE, num_queries - first)
        distance = np.full((count, num_entities), FAR)
        other = np.empty(BLOCK, F)
        for low in range(0, num_entities, BLOCK):
            rows = np.arange(low, min(low + BLOCK, num_entities))
            for i in range(count):
                own = distance[i, low : low + rows.shape[0]]
                for m in range(starts[first + i], starts[first + i + 1]):
                    box_distances(points, rows, centers[m], offsets[m], alpha, other)
                    for k in range(rows.shape[0]):
                        own[k] = min(own[k], other[k])
        for i in range(count):
            q = first + i
            answers = hard[hard_offsets[q] : hard_offsets[q + 1]]
            if answers.shape[0] == 0:
                continue
            own = distance[i]
            levels = own[answers]
            # Answers do not compete: they move out of reach before the count.
            own[answers] = FAR
            own[easy[easy_offsets[q] : easy_offsets[q + 1]]] = FAR
            found = slice(hard_offsets[q], hard_offsets[q + 1])
            _count(own, levels, closer[found], level[found])
