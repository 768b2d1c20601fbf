"""A copy of the entity table in bytes, to look through before the table itself.

It is a quarter of the size, and its sums are sums of small whole numbers, of which
a processor does many at once: numbers below 64, so that four of them add up in a byte.
Each entity's error is known, so distances to the copy bound distances to the entity.
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
PIECES = 4
"""Pieces of a row, whose numbers are added up byte by byte."""
MOST = 255 // PIECES
"""The largest number of which so many add up to a byte."""
WHOLE = 256
"""Bytes that add up to a number of 16 bits."""


class Compact(NamedTuple):
    """lows + step * codes is about the table."""

    codes: npt.NDArray[np.uint8]  # [N, D], and zeros up to a multiple of PIECES
    lows: FloatArray  # [D]
    step: np.float32  # one for all dimensions, or sums of codes would mean nothing
    errors: FloatArray  # [N], L1 distance of each entity to its copy

    @classmethod
    def of(cls, points: FloatArray, threads: int = 1) -> Compact:
        """The copy of a table."""
        some = points[:: max(len(points) // SAMPLE, 1)]
        low, high = np.quantile(some, (RARE, 1 - RARE), axis=0)
        step = np.maximum(((high - low).max(initial=0) / F(MOST)).astype(F), F(1e-30))
        lows = ((low + high) / 2 - MOST / 2 * step).astype(F)
        codes = np.zeros((len(points), padded(points.shape[1])), np.uint8)
        found = cls(codes, lows, step, np.empty(len(points), np.float32))

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


@compiled
def padded(dim):
    """How long a row's pieces are together."""
    return -(-dim // PIECES) * PIECES


@arithmetic
def _encode_row(point, lows, step, inverse, code):
    """Write one entity's code; the L1 distance to it."""
    error = F(0)
    for d in range(point.shape[0]):
        place = (point[d] - lows[d]) * inverse + F(0.5)
        number = np.uint8(min(max(place, F(0)), F(MOST)))
        code[d] = number
        error += abs(point[d] - (lows[d] + step * F(number)))
    return error


@compiled
def _encode(points, lows, step, codes, errors):
    inverse = F(1) / step
    largest = 0.0
    for d in range(lows.shape[0]):
        largest += abs(lows[d]) + MOST * step
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
        inside = min(max(place, 0.0), np.float64(MOST))
        beyond = abs(place - inside)
        coded_center[d] = np.uint8(inside + 0.5)
        always += alpha * beyond - abs(inside - coded_center[d])
        width = np.float64(offset[d]) / step - beyond
        if width < 0:
            coded_offset[d] = 0
            always -= beta * width
        else:
            width = min(width, np.float64(MOST))  # wider than any distance between codes
            coded_offset[d] = np.uint8(width + 0.5)
            always -= beta * abs(width - coded_offset[d])
    return always


@compiled
def encode_boxes(centers, offsets, lows, step, alpha):
    """The codes of boxes, and what is always there."""
    coded_centers, coded_offsets = np.zeros((2, len(centers), padded(centers.shape[1])), np.uint8)
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
    piece = np.uint64(center.shape[0] // PIECES)
    beta = F(1) - alpha
    for i in range(0, count, 2):
        i1 = min(i + 1, count - 1)
        r0, r1 = np.uint64(rows[i]), np.uint64(rows[i1])
        a0 = a1 = b0 = b1 = 0
        for low in range(0, piece, WHOLE):
            s0 = s1 = o0 = o1 = np.uint16(0)
            for d in range(np.uint64(low), min(np.uint64(low + WHOLE), piece)):
                t0 = t1 = u0 = u1 = np.uint8(0)
                for p in range(np.uint64(PIECES)):
                    e = d + p * piece
                    c = center[e]
                    o = offset[e]
                    v0 = codes[r0, e]
                    v1 = codes[r1, e]
                    v0 = np.uint8(max(v0, c) - min(v0, c))
                    v1 = np.uint8(max(v1, c) - min(v1, c))
                    t0 = np.uint8(t0 + v0)
                    t1 = np.uint8(t1 + v1)
                    u0 = np.uint8(u0 + np.uint8(max(v0, o) - o))
                    u1 = np.uint8(u1 + np.uint8(max(v1, o) - o))
                s0 = np.uint16(s0 + t0)
                s1 = np.uint16(s1 + t1)
                o0 = np.uint16(o0 + u0)
                o1 = np.uint16(o1 + u1)
            a0 += int(s0)
            a1 += int(s1)
            b0 += int(o0)
            b1 += int(o1)
        out[i] = alpha * F(a0) + beta * F(b0)
        out[i1] = alpha * F(a1) + beta * F(b1)
