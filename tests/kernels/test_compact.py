"""The copy in bytes: distances to it, and how far they may be off."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from query2box.kernels.compact import MOST, Compact, coded_distances, encode_boxes

F = np.float32


@st.composite
def problems(draw):
    """A table, perhaps with odd dimensions and outliers, and a box perhaps far beyond it."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    size, dim = draw(st.integers(1, 40)), draw(st.sampled_from([1, 2, 7, 64, 256, 257, 600]))
    spread = draw(st.sampled_from([0.0, 1e-6, 1.0, 1e4]))
    points = rng.normal(draw(st.sampled_from([0, 3, -1000])), spread, (size, dim))
    if draw(st.booleans()):
        points[rng.random(size) < 0.2] *= 50
    if draw(st.booleans()):
        points[:, 0] *= 100
    far = draw(st.sampled_from([0, 1, 5, 1000])) * max(spread, 0.1)
    center = points[0] + rng.normal(0, 1, dim) * far
    offset = np.abs(rng.normal(0, 1, dim)) * draw(st.sampled_from([0, 0.1, 1, 20])) * far
    alpha = draw(st.sampled_from([0.02, 0.2, 1.0]))
    return points.astype(F), center.astype(F), offset.astype(F), F(alpha)


@settings(max_examples=300)
@given(problems())
def test_no_entity_is_nearer_than_its_copy_says(problem):
    points, center, offset, alpha = problem
    copy = Compact.of(points)
    codes = encode_boxes(center[None], offset[None], copy.lows, copy.step, alpha)
    (coded_center,), (coded_offset,), (always,) = codes
    found = np.empty(len(points), F)
    rows = np.arange(len(points))
    coded_distances(copy.codes, rows, len(rows), coded_center, coded_offset, alpha, found)
    away = np.abs(points.astype(float) - center)
    exact = (np.minimum(away, offset) * alpha + np.maximum(away - offset, 0)).sum(1)
    least = (found.astype(float) + always) * np.float64(copy.step) - copy.errors
    assert (least <= exact * (1 + 1e-4)).all()
    # What rounding takes off is no more than the copy's and the box's own errors.
    slack = 2 * copy.errors + 2 * len(center) * np.float64(copy.step)
    assert (least >= exact * (1 - 1e-4) - slack).all()


def test_sums_of_bytes_do_not_overflow():
    for dim in (4, 1020, 1024, 1028, 2048, 5000):
        codes = np.full((3, dim), MOST, np.uint8)
        none = np.zeros(dim, np.uint8)
        found = np.empty(3, F)
        coded_distances(codes, np.arange(3), 3, none, none, F(0.2), found)
        assert np.allclose(found, MOST * dim)


def test_a_copy_has_no_number_that_is_too_large():
    points = np.array([[-1e6, 0, 1e6], [0, 0, 0], [1, 2, 3]], F)
    assert Compact.of(points).codes.max() <= MOST
