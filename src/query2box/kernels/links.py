"""Edges drawn from a graph, with all the relations between their ends."""

from __future__ import annotations

from typing import Any

import numpy as np

from query2box.kernels.compiled import compiled
from query2box.kernels.random import below, generator
from query2box.kernels.traversal import Edges

Array = Any  # numba compiles by the concrete dtypes


@compiled
def draw_links(
    seed: int, edges: Edges, heads: Array, relations: Array, tails: Array, counts: Array
) -> Array:
    """Fill heads, directed relations and tails [E] of edges, each as likely as the others.

    Gives the relations that lead from each head to its tail, edge after edge, and
    fills `counts` [E] with how many these are.
    """
    state = generator(seed, 0)
    known = np.empty(2 * heads.shape[0], np.int32)
    used = 0
    for e in range(heads.shape[0]):
        at = below(state, edges.objects.shape[0])
        group = np.searchsorted(edges.group_objects, at, side="right") - 1
        head = np.searchsorted(edges.entity_groups, group, side="right") - 1
        heads[e], relations[e], tails[e] = head, edges.group_relations[group], edges.objects[at]
        before = used
        for other in range(edges.entity_groups[head], edges.entity_groups[head + 1]):
            own = edges.objects[edges.group_objects[other] : edges.group_objects[other + 1]]
            place = np.searchsorted(own, tails[e])
            if place < own.shape[0] and own[place] == tails[e]:
                if used == known.shape[0]:
                    known = np.concatenate((known, np.empty_like(known)))
                known[used] = edges.group_relations[other]
                used += 1
        counts[e] = used - before
    return known[:used]
