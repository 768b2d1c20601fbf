"""Negatives that chunks of queries share: some from everywhere, some from where a relation leads.

Whom a query has to be held apart from are mostly entities of the right kind: those
that its last relation leads to. They are drawn more often than others, and each
says how many entities it stands for, so that sums over negatives still are, on
average, sums over all entities.
"""

from __future__ import annotations

import math

import numpy as np

from query2box.kernels.compiled import compiled
from query2box.kernels.random import below, generator

F = np.float32


@compiled
def _draw(state, pool, count, out):
    """Some distinct members of a pool, by the first part of a shuffle (which the pool keeps)."""
    for i in range(count):
        j = i + below(state, pool.shape[0] - i)
        pool[i], pool[j] = pool[j], pool[i]
        out[i] = pool[i]


@compiled
def draw_negatives(
    seed,
    chunk,
    relations,  # [B], the relation that each query ends with, or -1; equal ones together
    range_offsets,  # [R + 1], relation r leads to ranges[range_offsets[r] : range_offsets[r + 1]]
    ranges,
    num_entities,
    near,  # how many negatives of a chunk come from its relations' ranges
    negatives,  # [C, K], out, ascending in each row
    shifts,  # [C, K], out, log of how many entities each stands for
):
    """Fill the negatives of all chunks; each chunk has a generator of its own."""
    size = negatives.shape[1]
    expected = np.zeros(num_entities, F)  # how often an entity is drawn, beyond the uniform part
    drawn = np.empty(size, np.int32)
    for c in range(negatives.shape[0]):
        state = generator(seed, c)
        own = relations[c * chunk : min((c + 1) * chunk, relations.shape[0])]
        count = 0
        low = 0
        while low < own.shape[0]:
            high = low
            while high < own.shape[0] and own[high] == own[low]:
                high += 1
            if own[low] >= 0:
                pool = ranges[range_offsets[own[low]] : range_offsets[own[low] + 1]].copy()
                wanted = min(near * (high - low) // own.shape[0], pool.shape[0])
                _draw(state, pool, wanted, drawn[count:])
                for v in pool:
                    expected[v] += F(wanted) / F(pool.shape[0])
                count += wanted
            low = high
        uniform = size - count
        for k in range(count, size):
            drawn[k] = below(state, num_entities)
        everywhere = F(uniform) / F(num_entities)
        order = np.argsort(drawn)
        for k in range(size):
            v = drawn[order[k]]
            negatives[c, k] = v
            shifts[c, k] = -math.log(expected[v] + everywhere)
        for r in own:
            if r >= 0:
                for v in ranges[range_offsets[r] : range_offsets[r + 1]]:
                    expected[v] = F(0)
