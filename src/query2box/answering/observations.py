"""What validation queries show: the nearest entities that are not known, and which are true."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from query2box.answering.isotonic import (
    Chance,
    Curve,
    FloatArray,
    expected_calibration_error,
    fit_chance,
    fit_curve,
    lengthened,
    reliability_bins,
)
from query2box.answering.space import Space
from query2box.query.nodes import shape
from query2box.workload.query_set import QueryGroup

NEAREST = 100
"""Entities of each validation query that are looked at."""
FOLDS = 5


@dataclass(frozen=True, eq=False)
class Observations:
    """The nearest entities of queries that are no known answers, and which are true."""

    structure: str
    shape: str
    distances: npt.NDArray[np.float32]  # [B, k], infinite where a query has fewer
    truths: npt.NDArray[np.bool_]  # [B, k]

    @classmethod
    def of(cls, space: Space, group: QueryGroup) -> Observations:
        """What the queries of a group show."""
        distances, truths = [], []
        for batch in space.batches(group.skeleton, len(group)):
            rows = np.arange(len(group))[batch]
            boxes = space.boxes(group.skeleton, group.entities[batch], group.relations[batch])
            found = space.nearest(boxes, NEAREST, excluded=group.easy.take(rows))
            distances.append(found.distances)
            truths += [
                np.isin(near, hard)
                for near, hard in zip(found.entities, group.hard.take(rows), strict=True)
            ]
        return cls(
            group.structure, shape(group.skeleton), np.concatenate(distances), np.array(truths)
        )

    @classmethod
    def together(cls, parts: list[Observations]) -> Observations:
        """Those of all parts, under the names of the first."""
        return cls(
            parts[0].structure,
            parts[0].shape,
            np.concatenate([part.distances for part in parts]),
            np.concatenate([part.truths for part in parts]),
        )

    def chance(self) -> Chance:
        """The chance that fits all queries."""
        return fit_chance(self.distances[self.there], self.ranks[self.there], self.true)

    def curve(self) -> Curve:
        """The curve that fits all queries by distance alone."""
        return fit_curve(self.distances[self.there], self.true)

    def guesses(self, chance: Chance) -> Guesses:
        """The probabilities of each query by a chance that others gave."""
        return Guesses(chance(self.distances, self.ranks), self.truths, self.there)

    def cross_validated(self, weight: float) -> Guesses:
        """The probabilities of each query by the curve of other queries."""
        fold = np.random.default_rng(0).permutation(len(self.truths)) % FOLDS
        away = lengthened(self.distances, self.ranks, weight)
        found = np.full(self.truths.shape, self.truths.mean())
        for own in range(FOLDS):
            others = self.there & (fold != own)[:, None]
            if others.any():
                found[fold == own] = fit_curve(away[others], self.truths[others])(away[fold == own])
        return Guesses(found, self.truths, self.there)

    @property
    def there(self) -> npt.NDArray[np.bool_]:
        """Where there is an entity [B, k]."""
        return np.isfinite(self.distances)

    @property
    def true(self) -> npt.NDArray[np.bool_]:
        """Which of those there are are true."""
        return self.truths[self.there]

    @property
    def ranks(self) -> FloatArray:
        """From 1 in each query [B, k]."""
        return np.broadcast_to(np.arange(1.0, self.truths.shape[1] + 1), self.truths.shape)


class Guesses(NamedTuple):
    """Probabilities, what was true, and which of them there are [B, k]."""

    probabilities: FloatArray
    truths: npt.NDArray[np.bool_]
    there: npt.NDArray[np.bool_]

    @classmethod
    def together(cls, parts: list[Guesses]) -> Guesses:
        """Those of all parts."""
        return cls(*map(np.concatenate, zip(*parts, strict=True)))

    def errors(self) -> dict[str, float]:
        """The expected calibration error of all, and of the 10 nearest."""

        def error(k: int) -> float:
            probabilities, truths, there = (part[:, :k] for part in self)
            return expected_calibration_error(probabilities[there], truths[there])

        return {"ece": error(NEAREST), "top10": error(10)}

    def bins(self) -> list[dict[str, float]]:
        """Probabilities and what was true, from the least likely on."""
        found = reliability_bins(self.probabilities[self.there], self.truths[self.there])
        return [one._asdict() for one in found]


def observe(space: Space, groups: Iterable[QueryGroup]) -> dict[str, Observations]:
    """What the queries of each shape show."""
    found: dict[str, list[Observations]] = {}
    for group in groups:
        seen = Observations.of(space, group)
        found.setdefault(seen.shape, []).append(seen)
    return {name: Observations.together(parts) for name, parts in found.items()}


def report_guesses(guesses: Iterable[tuple[str, Guesses]]) -> dict[str, Any]:
    """The errors of the guesses of some structures, in all and each."""
    found: dict[str, list[Guesses]] = {}
    for structure, own in guesses:
        found.setdefault(structure, []).append(own)
    everything = Guesses.together([one for parts in found.values() for one in parts])
    return {
        **everything.errors(),
        "queries": len(everything.truths),
        "bins": everything.bins(),
        "structures": {name: Guesses.together(parts).errors() for name, parts in found.items()},
    }
