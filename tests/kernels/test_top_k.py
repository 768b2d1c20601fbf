from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from query2box.kernels.compact import Compact
from query2box.kernels.distance import box_distances
from query2box.kernels.nearest import Boxes, Excluded, nearest, plain_nearest

ALPHA = 0.25


def full_sort(points, boxes, k, candidates, excluded):
    """What `nearest` should find, one query and one entity at a time, in float64."""
    found = []
    for q in range(len(boxes.starts) - 1):
        rows = range(boxes.starts[q], boxes.starts[q + 1])
        left_out = set(excluded[q])
        order = []
        for entity in candidates:
            if entity not in left_out:
                far = np.abs(points[entity].astype(float) - boxes.centers[rows])
                inside = np.minimum(far, boxes.offsets[rows])
                outside = np.maximum(far - boxes.offsets[rows], 0)
                order.append(((outside + ALPHA * inside).sum(1).min(), entity))
        found.append(sorted(order)[:k])
    return found


def as_lists(found):
    return [
        [(d, e) for e, d in zip(es, ds, strict=True) if e >= 0]
        for es, ds in zip(found.entities.tolist(), found.distances.tolist(), strict=True)
    ]


def pack(rows):
    offsets = np.cumsum([0, *map(len, rows)])
    return Excluded(offsets, np.array([e for row in rows for e in row], np.int32))


@st.composite
def problems(draw):
    """Tables on a coarse grid, whose distances are exact and often equal."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    size, dim = draw(st.integers(1, 300)), draw(st.sampled_from([1, 3, 8, 70, 200]))
    counts = draw(st.lists(st.integers(1, 3), min_size=1, max_size=4))
    levels = draw(st.integers(1, 6))
    points = rng.integers(0, levels, (size, dim)).astype(np.float32) / 4
    if draw(st.booleans()):  # clusters: most entities are far, so the scan gives up early
        points += rng.integers(0, 4, (size, 1)) * 8
    centers = points[rng.integers(0, size, sum(counts))] + 0.25
    offsets = rng.integers(0, levels, centers.shape).astype(np.float32) / 4
    boxes = Boxes(centers, offsets, np.cumsum([0, *counts]))
    candidates = None
    if draw(st.booleans()):
        candidates = np.flatnonzero(rng.random(size) < draw(st.sampled_from([0, 0.1, 0.9])))
    excluded = [
        np.flatnonzero(rng.random(size) < draw(st.sampled_from([0, 0.5, 1]))) for _ in counts
    ]
    return points, boxes, draw(st.sampled_from([1, 2, 10, 1000])), candidates, excluded


@given(problems(), st.integers(1, 3), st.booleans())
def test_the_scan_equals_a_full_sort(problem, threads, coded):
    points, boxes, k, candidates, excluded = problem
    found = nearest(
        points,
        boxes,
        k,
        ALPHA,
        candidates=candidates,
        excluded=pack(excluded),
        compact=Compact.of(points) if coded else None,
        threads=threads,
    )
    allowed = range(len(points)) if candidates is None else candidates.tolist()
    assert as_lists(found) == full_sort(points, boxes, k, allowed, [e.tolist() for e in excluded])


@given(problems())
def test_the_torch_twin_equals_a_full_sort(problem):
    points, boxes, k, _, _ = problem
    tensors = map(torch.from_numpy, (points, boxes.centers, boxes.offsets, boxes.starts))
    entities, distances = plain_nearest(*tensors, k, ALPHA, chunk=64)
    expected = full_sort(points, boxes, k, range(len(points)), [[]] * len(entities))
    assert [
        list(zip(d, e, strict=True))
        for d, e in zip(distances.tolist(), entities.tolist(), strict=True)
    ] == expected


def random_problem(queries=3, size=20_000, dim=90):
    rng = np.random.default_rng(7)
    points = rng.normal(size=(size, dim)).astype(np.float32)
    centers = points[:queries] + rng.normal(size=(queries, dim)).astype(np.float32) / 3
    offsets = rng.random((queries, dim), np.float32)
    return points, Boxes(centers, offsets, np.arange(queries + 1))


@pytest.mark.parametrize("coded", [False, True])
def test_distances_are_those_of_the_ranks_to_the_last_bit(coded: bool):
    points, boxes = random_problem()
    points[5] *= 1000  # an outlier
    found = nearest(points, boxes, 50, 0.2, compact=Compact.of(points) if coded else None)
    for q in range(3):
        distances = np.empty(len(points), np.float32)
        everybody = np.arange(len(points))
        box_distances(
            points, everybody, boxes.centers[q], boxes.offsets[q], np.float32(0.2), distances
        )
        order = np.lexsort((everybody, distances))[:50]
        assert found.entities[q].tolist() == order.tolist()
        assert found.distances[q].tolist() == distances[order].tolist()


def test_equal_rows_are_ties_wherever_they_stand():
    points, boxes = random_problem(queries=1)
    points[::7] = points[0]
    copies = np.arange(0, len(points), 7)
    for threads in (1, 2):
        found = nearest(points, boxes, len(copies), 0.2, threads=threads)
        assert found.entities[0].tolist() == copies.tolist()
        assert len(set(found.distances[0].tolist())) == 1


def test_nobody_beyond_the_limit():
    points, boxes = random_problem(queries=1)
    found = nearest(points, boxes, 50, 0.2)
    limit = float(found.distances[0, 19])
    nearer = nearest(points, boxes, 50, 0.2, within=limit)
    assert nearer.entities[0, :20].tolist() == found.entities[0, :20].tolist()
    assert (nearer.entities[0, 20:] == -1).all()


def test_a_copy_is_as_near_as_its_error_says():
    points, _ = random_problem()
    points[:, 3] = 7.0  # a dimension that says nothing
    points[5] *= 1000
    copy = Compact.of(points, threads=2)
    codes, rest = np.split(copy.codes, [points.shape[1]], 1)
    assert not rest.any()
    restored = copy.lows + copy.step * codes.astype(np.float32)
    errors = np.abs(points.astype(np.float64) - restored).sum(1)
    assert (errors <= copy.errors).all()
    typical = np.abs(points).sum(1).mean()
    assert np.median(copy.errors) < 0.04 * typical


def test_many_queries_are_answered_like_each_alone():
    points, boxes = random_problem(queries=70, size=3000)
    together = nearest(points, boxes, 5, 0.2)
    for q in range(70):
        alone = nearest(points, boxes.of(slice(q, q + 1)), 5, 0.2)
        assert alone.entities.tolist() == [together.entities[q].tolist()]


@pytest.mark.parametrize("queries", [0, 2])
def test_no_candidates_no_answers(queries):
    points, boxes = random_problem(queries=queries, size=100)
    assert nearest(points, boxes, 5, 0.2, candidates=np.empty(0, np.int32)).entities.size == 0
    assert nearest(points, boxes, 0, 0.2).entities.shape == (queries, 0)
