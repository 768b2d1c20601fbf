"""The plain twins, and the distance kernel, against the paper's formulas written out once more."""

from __future__ import annotations

import math
from statistics import mean

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from query2box.kernels.distance import box_distances
from query2box.kernels.loss import LossShape
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


LOSSES = st.tuples(
    st.lists(EIGHTHS, min_size=1, max_size=3),
    st.lists(
        st.tuples(EIGHTHS, st.booleans(), st.sampled_from([1.0, 2.5])), min_size=1, max_size=6
    ),
)


@given(LOSSES, st.sampled_from([0.5, 3.0]), st.sampled_from([0.0, 0.5, 2.0]))
def test_losses_are_the_papers(query, gamma: float, temperature: float) -> None:
    """Of several positives in the mean; a negative counts for as many as it stands for."""
    positives, pairs = query
    negatives = [(distance, many) for distance, masked, many in pairs if not masked]

    def minus_log_sigmoid(x: float) -> float:
        return -math.log(1 / (1 + math.exp(-x)))

    shares = [many * math.exp(-temperature * distance) for distance, many in negatives]
    margin = mean(minus_log_sigmoid(gamma - positive) for positive in positives) + sum(
        share / sum(shares) * minus_log_sigmoid(distance - gamma)
        for share, (distance, _) in zip(shares, negatives, strict=True)
    )
    mass = sum(many * math.exp(-distance) for distance, many in negatives)
    softmax = mean(-math.log(math.exp(-p) / (math.exp(-p) + mass)) for p in positives)
    height = math.log(mass) - math.log(7) if negatives else None

    def loss(**weights: float) -> float:
        shape = LossShape(alpha=0.2, gamma=gamma, temperature=temperature, level=1.5, **weights)
        losses, heights = query_losses(
            torch.tensor([positives]),
            torch.tensor([[distance for distance, _, _ in pairs]]),
            torch.tensor([math.log(many) for _, _, many in pairs]),
            torch.tensor([[masked for _, masked, _ in pairs]]),
            torch.tensor([math.log(7)]),
            shape,
        )
        if height is None:
            assert heights.item() < -1e29
        else:
            assert heights.item() == pytest.approx(height, abs=1e-4)
        return losses.item()

    assert loss(softmax=1, margin=0) == pytest.approx(softmax, abs=1e-4)
    assert loss(softmax=0, margin=1) == pytest.approx(margin, abs=1e-4)
    assert loss(softmax=2, margin=3) == pytest.approx(2 * softmax + 3 * margin, abs=1e-3)
    spring = 0.0 if height is None else (height - 1.5) ** 2 / 2
    assert loss(softmax=0, margin=0, evenness=2.0) == pytest.approx(2 * spring, abs=1e-3, rel=1e-4)
