"""A copy of the entity table in bytes, to look through before the table itself.

It is a quarter of the size, and its sums are sums of small whole numbers, of which
a processor does many at once. Each entity's error is known, so distances to the
copy bound distances to the entity.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from query2box.kernels.compiled import arithmetic, compiled

FloatArray: TypeAlias = npt.NDArray[np.float32]

F = np.float32
CHUNK = 1 << 14
SAMPLE = 4096
"""Entities that say where a dimension's values lie."""
RARE = 0.002
"""Values so rare do not widen a dimension's range; what lies beyond it is cut off."""
WHOLE = 256
"""Dimensions whose bytes add up to a number of 16 bits."""


class Compact(NamedTuple):
    """lows + step * codes is about the table."""

    codes: npt.NDArray[np.uint8]  # [N, D]
    lows: FloatArray  # [D]
    step: np.float32  # one for all dimensions, or sums of codes would mean nothing
    errors: FloatArray  # [N], L1 distance of each entity to its copy

    @classmethod
    def of(cls, points: FloatArray, threads: int = 1) -> Compact:
        """The copy of a table."""
        some = points[:: max(len(points) // SAMPLE, 1)]
        low, high = np.quantile(some, (RARE, 1 - RARE), axis=0)
        step = np.maximum(((high - low).max(initial=0) * F(1.5) / F(255)).astype(F), F(1e-30))
        lows = ((low + high) / 2 - 127.5 * step).astype(F)
        found = cls(np.empty(points.shape, np.uint8), lows, step, np.empty(len(points), np.float32))

        def encode(low: int) -> None:
            rows = slice(low, low + CHUNK)
            _encode(points[rows], lows, step, found.codes[rows], found.errors[rows])

        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(encode, range(0, len(points), CHUNK)))
        return found

    @classmethod
    def none(cls, dim: int) -> Compact:
        """No copy."""
        return cls(np.empty((0, dim), np.uint8), np.zeros(dim, F), F(1), np.empty(0, np.float32))


@arithmetic
def _encode_row(point, lows, step, inverse, code):
    """Write one entity's code; the L1 distance to it."""
    error = F(0)
    for d in range(point.shape[0]):
        place = (point[d] - lows[d]) * inverse + F(0.5)
        number = np.uint8(min(max(place, F(0)), F(255)))
        code[d] = number
        error += abs(point[d] - (lows[d] + step * F(number)))
    return error


@compiled
def _encode(points, lows, step, codes, errors):
    inverse = F(1) / step
    largest = 0.0
    for d in range(lows.shape[0]):
        largest += abs(lows[d]) + 255 * step
    for i in range(points.shape[0]):
        error = _encode_row(points[i], lows, step, inverse, codes[i])
        # Rounding, here and where distances to the copy are summed, is well below this.
        errors[i] = error * (1 + 1e-4) + 1e-6 * largest


@compiled
def _encode_box(center, offset, lows, step, alpha, coded_center, coded_offset):
    """Write a box's code; what to add to distances to it, in steps.

    What rounding may have added to a distance is taken off, so with that they are
    never too large. A centre beyond the codes is as far beyond them for every
    entity: that is no error, but a part of the distance that is always there.
    """
    beta = 1 - np.float64(alpha)
    always = 0.0
    for d in range(center.shape[0]):
        place = (np.float64(center[d]) - lows[d]) / step
        inside = min(max(place, 0.0), 255.0)
        beyond = abs(place - inside)
        coded_center[d] = np.uint8(inside + 0.5)
        always += alpha * beyond - abs(inside - coded_center[d])
        width = np.float64(offset[d]) / step - beyond
        if width < 0:
            coded_offset[d] = 0
            always -= beta * width
        else:
            width = min(width, 255.0)  # wider than any distance between codes
            coded_offset[d] = np.uint8(width + 0.5)
            always -= beta * abs(width - coded_offset[d])
    return always


@compiled
def encode_boxes(centers, offsets, lows, step, alpha):
    """The codes of boxes, and what is always there."""
    coded_centers, coded_offsets = np.empty((2, *centers.shape), np.uint8)
    always = np.empty(centers.shape[0])
    for m in range(centers.shape[0]):
        always[m] = _encode_box(
            centers[m], offsets[m], lows, step, alpha, coded_centers[m], coded_offsets[m]
        )
    return coded_centers, coded_offsets, always


@arithmetic
def coded_distances(codes, rows, count, center, offset, alpha, out):
    """dist_box of entities' copies to a coded box, in steps, but for what is always there.

    Two rows share a load of the box.
    """
    dim = center.shape[0]
    beta = F(1) - alpha
    for i in range(0, count, 2):
        i1 = min(i + 1, count - 1)
        r0, r1 = np.uint64(rows[i]), np.uint64(rows[i1])
        a0 = a1 = b0 = b1 = 0
        for low in range(0, dim, WHOLE):
            s0 = s1 = o0 = o1 = np.uint16(0)
            for d in range(np.uint64(low), np.uint64(min(low + WHOLE, dim))):
                c = center[d]
                o = offset[d]
                v0 = codes[r0, d]
                v1 = codes[r1, d]
                t0 = np.uint8(max(v0, c) - min(v0, c))
                t1 = np.uint8(max(v1, c) - min(v1, c))
                s0 = np.uint16(s0 + t0)
                s1 = np.uint16(s1 + t1)
                o0 = np.uint16(o0 + np.uint8(max(t0, o) - o))
                o1 = np.uint16(o1 + np.uint8(max(t1, o) - o))
            a0 += int(s0)
            a1 += int(s1)
            b0 += int(o0)
            b1 += int(o1)
        out[i] = alpha * F(a0) + beta * F(b0)
        out[i1] = alpha * F(a1) + beta * F(b1)
