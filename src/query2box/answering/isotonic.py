"""From distances to probabilities: the best curve that never rises."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]

BIN = 50
"""Observations, neighbours by distance, that count as one: no fewer make a probability."""


@dataclass(frozen=True, eq=False)
class Curve:
    """A probability for each distance, linear between knots and level beyond them."""

    distances: FloatArray  # ascending
    probabilities: FloatArray  # never rising

    def __call__(self, distances: npt.ArrayLike) -> FloatArray:
        """The probabilities at these distances."""
        return np.interp(np.asarray(distances, np.float64), self.distances, self.probabilities)


def fit_curve(distances: npt.ArrayLike, truths: npt.ArrayLike) -> Curve:
    """The curve nearest to what was true, by least squares (isotonic regression).

    Pool adjacent violators: neighbours that rise are put together until none do.
    Each level counts one observation more than it has, true at the overall rate,
    so that nothing is ever certain.
    """
    distance, truth = np.asarray(distances, np.float64), np.asarray(truths, np.float64)
    if not len(distance):
        return Curve(np.zeros(1), np.zeros(1))
    order = np.argsort(distance, kind="stable")
    rate = float(truth.mean())
    levels: list[_Level] = []
    for part in np.array_split(order, max(len(order) // BIN, 1)):
        ends = float(distance[part[0]]), float(distance[part[-1]])
        level = _Level(*ends, len(part) + 1, float(truth[part].sum()) + rate, rate)
        while levels and levels[-1].share <= level.share:
            level = levels.pop().with_next(level)
        levels.append(level)
    return Curve(
        np.array([end for level in levels for end in (level.start, level.stop)]),
        np.array([level.share for level in levels for _ in range(2)]),
    )


class _Level(NamedTuple):
    start: float
    stop: float
    size: int
    true: float
    rate: float

    @property
    def share(self) -> float:
        return self.true / self.size

    def with_next(self, other: _Level) -> _Level:
        size, true = self.size + other.size - 1, self.true + other.true - self.rate
        return _Level(self.start, other.stop, size, true, self.rate)


def expected_calibration_error(
    probabilities: npt.ArrayLike, truths: npt.ArrayLike, bins: int = 15
) -> float:
    """How far probabilities are from what was true, on average (equal-width bins).

    The gap between the mean probability and the share of true ones in each bin,
    weighted by how many fall into it.
    """
    probability, truth = np.asarray(probabilities, np.float64), np.asarray(truths, np.float64)
    if not len(probability):
        return 0.0
    place = np.minimum((probability * bins).astype(np.int64), bins - 1)
    gaps = np.bincount(place, probability - truth, bins)
    return float(np.abs(gaps).sum() / len(probability))
