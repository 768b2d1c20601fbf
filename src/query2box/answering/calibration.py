"""How likely an answer at this distance and rank is, for a query of this shape.

Fitted on validation queries: of the entities nearest to a query that are no
known answers, which are answers after all? What is known needs no probability.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from query2box.answering.isotonic import Chance, Curve, FloatArray
from query2box.answering.observations import Observations, observe, report_guesses
from query2box.answering.space import Space
from query2box.errors import DataError, RunError
from query2box.graph.files import atomic_text
from query2box.query.nodes import Query, shape
from query2box.query.skeleton import STRUCTURES
from query2box.workload.query_set import QueryGroup

CALIBRATION = "calibration.json"
QUERIES = 1000
"""Validation queries of each structure that are enough."""


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
    seen = observe(space, groups)
    if not seen:
        raise DataError("there are no validation queries to calibrate with")
    shapes = {name: own.chance() for name, own in seen.items()}
    pooled = Observations.together(list(seen.values()))
    edges = seen.get(shape(STRUCTURES["1p"]), pooled).curve()
    report = report_guesses(
        (own.structure, own.cross_validated(shapes[name].weight)) for name, own in seen.items()
    )
    return Calibration(shapes, pooled.chance(), edges, report)


def reliability(
    space: Space, groups: Iterable[QueryGroup], calibration: Calibration | None = None
) -> dict[str, Any]:
    """How far probabilities are from what is true, in all and by structure.

    Those of a calibration that has not seen these queries, or else each query's
    by what the other queries show.
    """
    if calibration is None:
        return {"by": "cross-validation", **fit(space, groups).report}
    report = report_guesses(
        (own.structure, own.guesses(calibration.shapes.get(name, calibration.pooled)))
        for name, own in observe(space, groups).items()
    )
    return {"by": "calibration", **report}


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
