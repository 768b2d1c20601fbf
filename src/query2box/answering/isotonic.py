"""From distances to probabilities: the best curve that never rises."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
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
    distance, truth = distance[order], truth[order]
    rate = float(truth.mean())
    levels: list[_Level] = []
    for start, stop in pairwise(borders(distance)):
        ends = float(distance[start]), float(distance[stop - 1])
        true = float(truth[start:stop].sum())
        level = _Level(*ends, stop - start + 1, true + rate, rate)
        while levels and levels[-1].share <= level.share:
            level = levels.pop().with_next(level)
        levels.append(level)
    return Curve(
        np.array([end for level in levels for end in (level.start, level.stop)]),
        np.array([level.share for level in levels for _ in range(2)]),
    )


def borders(distances: FloatArray) -> list[int]:
    """Where bins of ascending distances begin and end; equal ones are never parted."""
    changes = np.flatnonzero(np.diff(distances)) + 1
    found = [0]
    while found[-1] + 2 * BIN <= len(distances):
        after = np.searchsorted(changes, found[-1] + BIN)
        if after == len(changes) or changes[after] + BIN > len(distances):
            break
        found.append(int(changes[after]))
    return [*found, len(distances)]


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


@dataclass(frozen=True, eq=False)
class Chance:
    """A probability for each distance and rank: a curve over distances that ranks lengthen."""

    weight: float
    """What a rank's logarithm counts; with 0 or more, being nearer is never worse."""
    curve: Curve

    def __call__(self, distances: npt.ArrayLike, ranks: npt.ArrayLike) -> FloatArray:
        """The probabilities at these distances and ranks, the nearest having rank 1."""
        return self.curve(lengthened(distances, ranks, self.weight))


def lengthened(distances: npt.ArrayLike, ranks: npt.ArrayLike, weight: float) -> FloatArray:
    """Distances with what ranks add to them."""
    return np.asarray(distances, np.float64) + weight * np.log(np.asarray(ranks, np.float64))


WEIGHTS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 16.0)
"""What is tried, in standard deviations of the distance."""


def fit_chance(distances: npt.ArrayLike, ranks: npt.ArrayLike, truths: npt.ArrayLike) -> Chance:
    """The chance under which what was true is likeliest."""
    truth = np.asarray(truths, np.bool_)
    spread = float(np.asarray(distances, np.float64).std()) if truth.size else 0.0

    def fitted(weight: float) -> tuple[float, Chance]:
        away = lengthened(distances, ranks, weight)
        curve = fit_curve(away, truth)
        found = curve(away)
        likelihood = np.log(np.where(truth, found, 1 - found).clip(1e-12)).sum()
        return float(likelihood), Chance(weight, curve)

    return max((fitted(weight * spread) for weight in WEIGHTS), key=lambda found: found[0])[1]


BINS = 15
"""Of equal width, in which probabilities are held against what was true."""


class Bin(NamedTuple):
    """Some guesses: their mean probability, the share that is true, and how many there are."""

    probability: float
    true: float
    guesses: int


def reliability_bins(probabilities: npt.ArrayLike, truths: npt.ArrayLike) -> list[Bin]:
    """Probabilities and what was true, in bins of equal width; empty ones are left out."""
    probability, truth = np.asarray(probabilities, np.float64), np.asarray(truths, np.float64)
    place = np.minimum((probability * BINS).astype(np.int64), BINS - 1)
    counts = np.bincount(place, minlength=BINS)
    sums = (np.bincount(place, values, BINS) for values in (probability, truth))
    means = (part / np.maximum(counts, 1) for part in sums)
    rows = zip(*(part.tolist() for part in (*means, counts)), strict=True)
    return [Bin(*row) for row in rows if row[2]]


def expected_calibration_error(probabilities: npt.ArrayLike, truths: npt.ArrayLike) -> float:
    """How far probabilities are from what was true, on average.

    The gap between the mean probability and the share of true ones in each bin,
    weighted by how many fall into it.
    """
    bins = reliability_bins(probabilities, truths)
    gaps = sum(abs(one.probability - one.true) * one.guesses for one in bins)
    return gaps / max(sum(one.guesses for one in bins), 1)
