"""How likely an answer at this distance and rank is, for a query of this shape.

Fitted on validation queries: of the entities nearest to a query that are no
known answers, which are answers after all? What is known needs no probability.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
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
)
from query2box.answering.space import Space
from query2box.errors import DataError, RunError
from query2box.graph.files import atomic_text
from query2box.query.nodes import Query, shape
from query2box.query.skeleton import STRUCTURES
from query2box.workload.query_set import QueryGroup

CALIBRATION = "calibration.json"
NEAREST = 100
"""Entities of each validation query that are looked at."""
QUERIES = 1000
"""Validation queries of each structure that are enough."""
FOLDS = 5


@dataclass(frozen=True, eq=False)
class Calibration:
    """A chance for each shape, one of all shapes together for those never seen, and how good.

    `report` holds the expected calibration error: cross-validated over queries in
    5 folds, 15 bins of equal width, on the 100 nearest entities of each query
    that are not known and, as `top10`, on the 10 nearest.
    """

    shapes: Mapping[str, Chance]
    pooled: Chance
    edges: Curve
    """Of single edges by distance alone."""
    report: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_fitted(self) -> bool:
        """Whether the probabilities come from validation queries."""
        return bool(self.shapes)

    def probabilities(
        self, query: Query, distances: npt.ArrayLike, ranks: npt.ArrayLike
    ) -> FloatArray:
        """The chances that entities at these distances of a query are answers.

        Ranks are among those that are not known, from 1; neither a larger distance
        nor a higher rank is ever likelier.
        """
        return self.chance(query)(distances, ranks)

    def chance(self, query: Query) -> Chance:
        """The chance of a query's shape."""
        return self.shapes.get(shape(query), self.pooled)

    @classmethod
    def uncalibrated(cls, gamma: float) -> Calibration:
        """What the loss alone suggests: sigmoid(gamma - distance) (Query2box, Eq. 4)."""
        distances = np.linspace(0, 3 * gamma, 301)
        curve = Curve(distances, 1 / (1 + np.exp(np.minimum(distances - gamma, 700))))
        return cls({}, Chance(0.0, curve), curve)

    @classmethod
    def load(cls, run: str | Path) -> Calibration | None:
        """The calibration of a run folder; None where it has none."""
        path = Path(run) / CALIBRATION
        try:
            document = json.loads(path.read_text("utf-8"))
            shapes = {name: _read_chance(chance) for name, chance in document["shapes"].items()}
            pooled, edges = _read_chance(document["pooled"]), _read_curve(document["edges"])
            return cls(shapes, pooled, edges, dict(document["report"]))
        except FileNotFoundError:
            return None
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise RunError(f"{path}: the file is damaged ({error!r})") from error

    def save(self, run: str | Path) -> None:
        """Write it into a run folder."""
        document = {
            "report": self.report,
            "edges": _write_curve(self.edges),
            "pooled": _write_chance(self.pooled),
            "shapes": {name: _write_chance(chance) for name, chance in self.shapes.items()},
        }
        with atomic_text(Path(run) / CALIBRATION) as file:
            json.dump(document, file, indent=1)


def fit(space: Space, groups: Iterable[QueryGroup]) -> Calibration:
    """The calibration of a model by queries that have easy and hard answers."""
    seen = [Observations.of(space, group) for group in groups]
    if not seen:
        raise DataError("there are no validation queries to calibrate with")
    by_shape = {
        name: Observations.together([one for one in seen if one.shape == name])
        for name in dict.fromkeys(one.shape for one in seen)
    }
    shapes = {name: own.chance() for name, own in by_shape.items()}
    guesses = {
        own.structure: own.cross_validated(shapes[name].weight) for name, own in by_shape.items()
    }
    pooled = Observations.together(seen)
    edges = by_shape.get(shape(STRUCTURES["1p"]), pooled).curve()
    report = {
        **Guesses(*map(np.concatenate, zip(*guesses.values(), strict=True))).errors(),
        "queries": len(pooled.truths),
        "structures": {structure: found.errors() for structure, found in guesses.items()},
    }
    return Calibration(shapes, pooled.chance(), edges, report)


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

    def errors(self) -> dict[str, float]:
        """The expected calibration error of all, and of the 10 nearest."""

        def error(k: int) -> float:
            probabilities, truths, there = (part[:, :k] for part in self)
            return expected_calibration_error(probabilities[there], truths[there])

        return {"ece": error(NEAREST), "top10": error(10)}


def _write_curve(curve: Curve) -> dict[str, list[float]]:
    return {
        "distances": curve.distances.tolist(),
        "probabilities": curve.probabilities.tolist(),
    }


def _write_chance(chance: Chance) -> dict[str, Any]:
    return {"weight": chance.weight, **_write_curve(chance.curve)}


def _read_chance(document: Mapping[str, Any]) -> Chance:
    weight = float(document["weight"])
    if not 0 <= weight < np.inf:
        raise ValueError("the weight of ranks is negative")
    return Chance(weight, _read_curve(document))


def _read_curve(document: Mapping[str, Any]) -> Curve:
    """A curve as it was written; one that rises or leaves 0 to 1 is refused."""
    distances = np.array(document["distances"], np.float64)
    probabilities = np.array(document["probabilities"], np.float64)
    if not distances.shape == probabilities.shape == (len(distances),) or not len(distances):
        raise ValueError("a curve needs a probability for each distance")
    if not (np.isfinite(distances).all() and (np.diff(distances) >= 0).all()):
        raise ValueError("the distances of a curve do not ascend")
    if not (
        (np.diff(probabilities) <= 0).all() and 0 <= probabilities[-1] <= probabilities[0] <= 1
    ):
        raise ValueError("the probabilities of a curve rise")
    return Curve(distances, probabilities)
