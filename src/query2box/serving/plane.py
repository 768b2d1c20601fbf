"""Two dimensions to look at boxes and points in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from query2box.errors import ConfigError
from query2box.kernels.nearest import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Plane:
    """Two directions of the space, and what they are called.

    A box's shadow on a direction is an interval, so a box is drawn as a rectangle,
    and what lies inside of the one lies inside of the other. Along a dimension of
    the space the shadow is the box itself; along another direction it is wider.
    """

    directions: FloatArray  # [2, D]
    axes: tuple[dict[str, Any], dict[str, Any]]

    @classmethod
    def chosen(cls, first: int, second: int, dim: int) -> Plane:
        """Two dimensions of the space by number."""
        for number in (first, second):
            if not 0 <= number < dim:
                raise ConfigError(f"the model's dimensions are 0 to {dim - 1}, not {number}")
        directions = np.zeros((2, dim), np.float32)
        directions[[0, 1], [first, second]] = 1
        return cls(directions, tuple({"dimension": n} for n in (first, second)))  # type: ignore[arg-type]

    @classmethod
    def principal(cls, shown: FloatArray) -> Plane:
        """The two directions along which points [n, D] lie apart most."""
        apart = shown - shown.mean(0)
        _, spread, found = np.linalg.svd(apart, full_matrices=False)
        directions = np.zeros((2, shown.shape[1]), np.float32)
        directions[: len(found[:2])] = found[:2]
        # A direction and its opposite are as good: the largest part points up.
        largest = directions[[0, 1], np.abs(directions).argmax(1)]
        directions[largest < 0] *= -1
        total = float((spread**2).sum()) or 1.0
        shares = [*(float(s) ** 2 / total for s in spread[:2]), 0.0, 0.0]
        return cls(directions, ({"share": shares[0]}, {"share": shares[1]}))

    def points(self, points: FloatArray) -> list[list[float]]:
        """Where points [n, D] lie."""
        return (points @ self.directions.T).tolist()  # type: ignore[no-any-return]

    def corners(
        self, centers: FloatArray, offsets: FloatArray
    ) -> tuple[list[list[float]], list[list[float]]]:
        """The lower and upper corners of the shadows of boxes [M, D]."""
        middles, reach = centers @ self.directions.T, offsets @ np.abs(self.directions).T
        return (middles - reach).tolist(), (middles + reach).tolist()
