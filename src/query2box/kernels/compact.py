"""A copy of the entity table in bytes, to look through before the table itself.

It is a quarter of the size, and one query's scan waits for memory more than it
computes. Each dimension has a range of its own; each entity's error is known, so
distances to the copy bound distances to the entity.
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


class Compact(NamedTuple):
    """lows + steps * codes is about the table."""

    codes: npt.NDArray[np.uint8]  # [N, D]
    lows: FloatArray  # [D]
    steps: FloatArray  # [D]
    errors: FloatArray  # [N], L1 distance of each entity to its copy

    @classmethod
    def of(cls, points: FloatArray, threads: int = 1) -> Compact:
        """The copy of a table."""
        some = points[:: max(len(points) // SAMPLE, 1)]
        low, high = np.quantile(some, (RARE, 1 - RARE), axis=0)
        lows, highs = (low - (high - low) / 4).astype(F), (high + (high - low) / 4).astype(F)
        steps = np.maximum((highs - lows) / F(255), F(1e-30))
        found = cls(
            np.empty(points.shape, np.uint8), lows, steps, np.empty(len(points), np.float32)
        )

        def encode(low: int) -> None:
            rows = slice(low, low + CHUNK)
            _encode(points[rows], lows, steps, found.codes[rows], found.errors[rows])

        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(encode, range(0, len(points), CHUNK)))
        return found


@arithmetic
def _encode_row(point, lows, steps, inverse, code):
    """Write one entity's code; the L1 distance to it."""
    error = F(0)
    for d in range(point.shape[0]):
        place = (point[d] - lows[d]) * inverse[d] + F(0.5)
        number = np.uint8(min(max(place, F(0)), F(255)))
        code[d] = number
        error += abs(point[d] - (lows[d] + steps[d] * F(number)))
    return error


@compiled
def _encode(points, lows, steps, codes, errors):
    inverse = F(1) / steps
    largest = 0.0
    for d in range(steps.shape[0]):
        largest += abs(lows[d]) + 255 * steps[d]
    for i in range(points.shape[0]):
        error = _encode_row(points[i], lows, steps, inverse, codes[i])
        # Rounding, here and where distances to the copy are summed, is well below this.
        errors[i] = error * (1 + 1e-4) + 1e-6 * largest
