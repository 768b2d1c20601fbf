"""The nearest entities of many queries (CPU): an exact scan that gives up early.

Entities come in blocks. A first pass leaves those of a block that may be within
the k-th best so far. It goes over some dimensions of the table, and partial
distances only grow; or it goes over a copy of the table in bytes, whose distances
are off by no more than the copy's own error. Either way nothing that is left out
could have come back. What is left at the end gets its distance from
`box_distances`, to the last bit as everywhere else.
"""

from __future__ import annotations

import numpy as np

from query2box.kernels.compact import coded_distances, encode_boxes
from query2box.kernels.compiled import arithmetic, compiled
from query2box.kernels.distance import box_distances

F = np.float32
FAR = F(1e30)
NOBODY = np.int32(2**31 - 1)
BLOCK = 64
SEGMENT = 64
STEP = 32
SLACK = F(1 + 1e-4)
"""Partial distances are summed in another order; they may be off by less than this."""


@arithmetic
def _add_segment(points, rows, count, center, shift, alpha, low, high, partial):
    """Add the dimensions low : high of dist_box to the partial distances; their mean.

    Outside a box, and inside, dist_box is max(alpha * t, t - (1 - alpha) * offset) a
    dimension, where t is the distance to the centre. Four rows share a load of the box.
    """
    total = F(0)
    for i in range(0, count, 4):
        left = count - i
        i1 = i + min(1, left - 1)
        i2 = i + min(2, left - 1)
        i3 = i + min(3, left - 1)
        v0, v1, v2, v3 = points[rows[i]], points[rows[i1]], points[rows[i2]], points[rows[i3]]
        s0 = s1 = s2 = s3 = F(0)
        for d in range(np.uint64(low), np.uint64(high)):  # unsigned: no index counts from the end
            c = center[d]
            o = shift[d]
            t0 = abs(v0[d] - c)
            t1 = abs(v1[d] - c)
            t2 = abs(v2[d] - c)
            t3 = abs(v3[d] - c)
            s0 += max(alpha * t0, t0 - o)
            s1 += max(alpha * t1, t1 - o)
            s2 += max(alpha * t2, t2 - o)
            s3 += max(alpha * t3, t3 - o)
        s0 += partial[i]
        s1 += partial[i1]
        s2 += partial[i2]
        s3 += partial[i3]
        partial[i] = s0
        partial[i1] = s1
        partial[i2] = s2
        partial[i3] = s3
        total += s0 + s1 + s2 + s3
    return total


@compiled
def _survivors(points, rows, count, center, shift, alpha, bound, first, partial, places):
    """Move to the front those of the rows whose distance may be within the bound.

    How many there are, and where the first look should come at the next block:
    where half of the rows are expected to be out.
    """
    dim = center.shape[0]
    partial[:count] = F(0)
    low, high = 0, first
    expected = dim
    while count > 0 and low < dim:
        total = _add_segment(points, rows, count, center, shift, alpha, low, high, partial)
        if low == 0 and bound < FAR:
            wanted = bound * F(high) * F(count) / max(total, F(1e-30))
            if wanted < dim:
                expected = min(STEP * (int(wanted) // STEP + 1), dim)
        kept = 0
        for i in range(count):
            rows[kept] = rows[i]
            places[kept] = places[i]
            partial[kept] = partial[i]
            kept += partial[i] <= bound * SLACK
        count = kept
        low, high = high, min(high + SEGMENT, dim)
    return count, expected


@compiled
def _coded_survivors(
    codes, errors, step, rows, count, center, offset, alpha, always, bound, partial, places
):
    """Move to the front those of the rows whose distance may be within the bound."""
    coded_distances(codes, rows, count, center, offset, alpha, partial)
    kept = 0
    for i in range(count):
        rows[kept] = rows[i]
        places[kept] = places[i]
        # One unit of the table is at most one unit of distance.
        kept += (partial[i] + always) * step - errors[rows[i]] <= bound * SLACK
    return kept


@compiled
def _worse(distance, entity, other_distance, other_entity):
    """Whether the first is farther or, at one distance, has the higher id."""
    return distance > other_distance or (distance == other_distance and entity > other_entity)


@compiled
def _replace_worst(distances, entities, distance, entity):
    """Put an entity in the place of the worst, which a heap has on top."""
    size = distances.shape[0]
    at = 0
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        right = child + 1
        if right < size and _worse(
            distances[right], entities[right], distances[child], entities[child]
        ):
            child = right
        if not _worse(distances[child], entities[child], distance, entity):
            break
        distances[at] = distances[child]
        entities[at] = entities[child]
        at = child
    distances[at] = distance
    entities[at] = entity


@compiled
def _contains(values, value):
    place = np.searchsorted(values, value)
    return place < values.shape[0] and values[place] == value


@compiled
def top_k_kernel(
    points,  # [N, D]
    codes,  # [N, D and padding], the copy in bytes: lows + step * codes; or empty
    lows,  # [D]
    step,
    errors,  # [N], L1 distance of each entity to its copy
    candidates,  # the entities that may answer, ascending; none: all of them
    low,  # positions low : high of them are looked at
    high,
    centers,  # [M, D]
    offsets,  # [M, D]
    starts,  # [B + 1], query q has the boxes starts[q] : starts[q + 1]
    excluded_offsets,  # [B + 1]
    excluded,  # ragged, ascending: entities that do not answer
    alpha,
    bounds,  # [B]: nobody beyond is wanted; they shrink, and other threads may share them
    distances,  # [B, k], in and out: heaps, the worst on top
    entities,  # [B, k], in and out
):
    """Keep the k nearest entities of each query by dist_agg (Query2box, Eq. 5).

    All queries go over a block together, so that it is read from memory once.
    """
    num_queries = starts.shape[0] - 1
    dim = points.shape[1]
    first_look = np.full(centers.shape[0], dim)
    coded = codes.shape[0] > 0
    coded_centers, coded_offsets, always = encode_boxes(centers, offsets, lows, step, alpha)
    shifts = (F(1) - alpha) * offsets
    block, rows, places = np.empty((3, BLOCK), np.int64)
    partial, exact, best = np.empty((3, BLOCK), F)
    for start in range(low, high, BLOCK):
        size = min(BLOCK, high - start)
        for i in range(size):
            block[i] = candidates[start + i] if candidates.shape[0] else start + i
        for q in range(num_queries):
            bound = bounds[q]
            best[:size] = FAR
            for m in range(starts[q], starts[q + 1]):
                for i in range(size):
                    rows[i] = block[i]
                    places[i] = i
                if coded:
                    count = _coded_survivors(
                        codes,
                        errors,
                        step,
                        rows,
                        size,
                        coded_centers[m],
                        coded_offsets[m],
                        alpha,
                        always[m],
                        bound,
                        partial,
                        places,
                    )
                else:
                    count, first_look[m] = _survivors(
                        points,
                        rows,
                        size,
                        centers[m],
                        shifts[m],
                        alpha,
                        bound,
                        first_look[m],
                        partial,
                        places,
                    )
                if count:
                    box_distances(points, rows[:count], centers[m], offsets[m], alpha, exact)
                for i in range(count):
                    best[places[i]] = min(best[places[i]], exact[i])
            left_out = excluded[excluded_offsets[q] : excluded_offsets[q + 1]]
            for i in range(size):
                if (
                    best[i] <= bound
                    and _worse(distances[q, 0], entities[q, 0], best[i], block[i])
                    and not _contains(left_out, block[i])
                ):
                    _replace_worst(distances[q], entities[q], best[i], block[i])
                    bound = min(bound, distances[q, 0])
            bounds[q] = min(bounds[q], bound)
