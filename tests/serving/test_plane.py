from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from query2box.serving.plane import Plane

SIZES = st.tuples(st.integers(1, 6), st.integers(1, 6))
NUMBERS = st.floats(-8, 8, width=16)  # few digits, so that sums of them are exact enough
POINTS = SIZES.flatmap(lambda size: arrays(np.float32, size, elements=NUMBERS))


@given(POINTS, st.data())
def test_what_is_inside_of_a_box_is_inside_of_its_shadow(points, data) -> None:
    dim = points.shape[1]
    offsets = data.draw(arrays(np.float32, (1, dim), elements=st.floats(0, 8, width=16)))
    centers = points[:1]
    share = data.draw(arrays(np.float32, (1, dim), elements=st.floats(-1, 1, width=16)))
    chosen = data.draw(st.tuples(*[st.integers(0, dim - 1)] * 2))
    for plane in (Plane.principal(points), Plane.chosen(*chosen, dim)):
        lower, upper = map(np.array, plane.corners(centers, offsets))
        inside = np.array(plane.points(centers + share * offsets))
        assert (lower - 1e-3 <= inside).all()
        assert (inside <= upper + 1e-3).all()


@given(POINTS)
def test_principal_directions_are_orthogonal_and_of_falling_spread(points) -> None:
    plane = Plane.principal(points)
    first, second = plane.directions
    assert abs(float(first @ second)) < 1e-4
    shares = [axis["share"] for axis in plane.axes]
    assert -1e-6 <= shares[1] <= shares[0] + 1e-6 <= 1 + 1e-5
    seen = np.array(plane.points(points))
    # Nothing lies farther apart than it does in the space.
    for one, other in zip(points, seen, strict=True):
        apart = np.linalg.norm(points - one, axis=1)
        assert (np.linalg.norm(seen - other, axis=1) <= apart + 1e-2).all()


@given(POINTS)
def test_the_same_points_are_seen_the_same_way(points) -> None:
    assert Plane.principal(points).points(points) == Plane.principal(points.copy()).points(points)


def test_a_single_dimension_has_a_plane_as_well() -> None:
    points = np.array([[1.0], [3.0]], np.float32)
    assert [y for _, y in Plane.principal(points).points(points)] == [0, 0]
    assert Plane.chosen(0, 0, 1).points(points) == [[1, 1], [3, 3]]
