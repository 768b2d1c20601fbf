"""The plain twins, and the distance kernel, against the paper's formulas written out once more."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from query2box.kernels.distance import box_distances
from query2box.kernels.reference import dist_agg, dist_box, query_losses

Vector = list[float]

# Eighths add up exactly in single precision, so that equal means equal.
EIGHTHS = st.integers(-40, 40).map(lambda n: n / 8)
SIZES = st.integers(0, 40).map(lambda n: n / 8)
ALPHAS = st.sampled_from([0.125, 0.25, 0.5, 1.0])


@st.composite
def boxes(draw: st.DrawFn) -> tuple[Vector, Vector, list[Vector]]:
    """A centre, an offset and a few points."""
    dim = draw(st.integers(1, 9))

    def vector(numbers: st.SearchStrategy[float]) -> Vector:
        return draw(st.lists(numbers, min_size=dim, max_size=dim))

    points = [vector(EIGHTHS) for _ in range(draw(st.integers(1, 9)))]
    return vector(EIGHTHS), vector(SIZES), points


def paper_distance(point: Vector, center: Vector, offset: Vector) -> tuple[float, float]:
    """dist_outside and dist_inside as section 3.2 has them, by corners."""
    outside = inside = 0.0
    for v, c, o in zip(point, center, offset, strict=True):
        q_max, q_min = c + o, c - o
        outside += max(v - q_max, 0) + max(q_min - v, 0)
        inside += abs(c - min(q_max, max(q_min, v)))
    return outside, inside


@given(boxes(), ALPHAS)
def test_dist_box_is_the_papers(case, alpha: float) -> None:
    center, offset, points = case
    wanted = [
        outside + alpha * inside
        for outside, inside in (paper_distance(point, center, offset) for point in points)
    ]
    found = dist_box(torch.tensor(points), torch.tensor(center), torch.tensor(offset), alpha)
    assert found.tolist() == wanted


@given(boxes(), ALPHAS)
def test_the_kernel_is_the_papers(case, alpha: float) -> None:
    center, offset, points = case
    wanted = [
        outside + alpha * inside
        for outside, inside in (paper_distance(point, center, offset) for point in points)
    ]
    found = np.full(len(points), np.nan, np.float32)
    rows = np.arange(len(points))
    arrays = (np.array(a, np.float32) for a in (center, offset))
    box_distances(np.array(points, np.float32), rows, *arrays, np.float32(alpha), found)
    assert found.tolist() == wanted


@given(boxes())
def test_nothing_is_outside_just_where_the_box_holds_the_point(case) -> None:
    center, offset, points = case
    box = torch.tensor(center), torch.tensor(offset)
    outside = dist_box(torch.tensor(points), *box, 0.0)
    inside = [
        all(c - o <= v <= c + o for v, c, o in zip(point, center, offset, strict=True))
        for point in points
    ]
    assert (outside == 0).tolist() == inside


@given(boxes())
def test_alpha_of_one_is_l1(case) -> None:
    center, offset, points = case
    found = dist_box(torch.tensor(points), torch.tensor(center), torch.tensor(offset), 1.0)
    assert found.tolist() == [_l1(point, center) for point in points]


def _l1(one: Vector, other: Vector) -> float:
    return sum(abs(a - b) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("dim", [1, 7, 16, 33, 400])
def test_equal_rows_have_equal_distances_wherever_they_stand(dim: int) -> None:
    generator = np.random.default_rng(dim)
    points = generator.normal(size=(3, dim)).astype(np.float32)
    center, offset = generator.normal(size=(2, dim)).astype(np.float32)
    for count in range(1, 12):
        for place in range(count):
            rows = np.ones(count, np.int64)
            rows[place] = 2
            found = np.empty(count, np.float32)
            box_distances(points, rows, center, abs(offset), np.float32(0.2), found)
            assert len(set(np.delete(found, place).tolist())) == (count > 1)


@given(st.lists(st.lists(EIGHTHS, min_size=1, max_size=4), min_size=1, max_size=6))
def test_dist_agg_is_the_smallest_of_each_query(queries: list[list[float]]) -> None:
    starts = torch.tensor([0, *map(len, queries)]).cumsum(0)
    flat = torch.tensor([distance for boxes in queries for distance in boxes])
    assert dist_agg(flat, starts).tolist() == list(map(min, queries))
    table = torch.stack((flat, -flat), 1)
    assert dist_agg(table, starts).tolist() == [[min(q), -max(q)] for q in queries]


LOSSES = st.tuples(EIGHTHS, st.lists(st.tuples(EIGHTHS, st.booleans()), min_size=1, max_size=6))


@given(LOSSES, st.sampled_from([0.5, 3.0]), st.sampled_from([0.0, 0.5, 2.0]))
def test_losses_are_the_papers(query, gamma: float, temperature: float) -> None:
    positive, pairs = query
    negatives = [distance for distance, masked in pairs if not masked]

    def minus_log_sigmoid(x: float) -> float:
        return -math.log(1 / (1 + math.exp(-x)))

    shares = [math.exp(-temperature * distance) for distance in negatives]
    margin = minus_log_sigmoid(gamma - positive) + sum(
        share / sum(shares) * minus_log_sigmoid(distance - gamma)
        for share, distance in zip(shares, negatives, strict=True)
    )
    mass = sum(math.exp(-distance) for distance in (positive, *negatives))
    softmax = -math.log(math.exp(-positive) / mass)

    def loss(softmax_weight: float, margin_weight: float) -> float:
        return query_losses(
            torch.tensor([positive]),
            torch.tensor([[distance for distance, _ in pairs]]),
            torch.tensor([[masked for _, masked in pairs]]),
            gamma=gamma,
            softmax_weight=softmax_weight,
            margin_weight=margin_weight,
            temperature=temperature,
        ).item()

    assert loss(1, 0) == pytest.approx(softmax, abs=1e-5)
    assert loss(0, 1) == pytest.approx(margin, abs=1e-5)
    assert loss(2, 3) == pytest.approx(2 * softmax + 3 * margin, abs=1e-4)
