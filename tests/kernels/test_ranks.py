"""Ranks against a sort in pure Python, on coordinates that tie."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from query2box.kernels.ranks import BLOCK, TILE, ranks_kernel

ALPHA = 0.25


class Case(NamedTuple):
    points: list[list[int]]
    boxes: list[list[tuple[list[int], list[int]]]]  # of each query: centre and offset
    easy: list[list[int]]
    hard: list[list[int]]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    dim, entities = draw(st.integers(1, 3)), draw(st.integers(1, 12))

    def vectors(low: int, high: int) -> st.SearchStrategy[list[int]]:
        return st.lists(st.integers(low, high), min_size=dim, max_size=dim)

    points = [draw(vectors(-2, 2)) for _ in range(entities)]
    box = st.tuples(vectors(-2, 2), vectors(0, 2))
    queries = draw(st.lists(st.lists(box, min_size=1, max_size=3), min_size=1, max_size=5))
    easy, hard = [], []
    for _ in queries:
        kinds = draw(st.lists(st.integers(0, 2), min_size=entities, max_size=entities))
        easy.append([e for e, kind in enumerate(kinds) if kind == 1])
        hard.append([e for e, kind in enumerate(kinds) if kind == 2])
    return Case(points, queries, easy, hard)


def sorted_ranks(case: Case) -> list[tuple[int, int]]:
    """For each hard answer, the non-answers before it and level with it."""
    found = []
    for boxes, easy, hard in zip(case.boxes, case.easy, case.hard, strict=True):
        distances = [min(_distance(p, *box) for box in boxes) for p in case.points]
        others = sorted(d for e, d in enumerate(distances) if e not in easy and e not in hard)
        for answer in hard:
            before = bisect_left(others, distances[answer])
            found.append((before, bisect_right(others, distances[answer]) - before))
    return found


def _distance(point: list[int], center: list[int], offset: list[int]) -> float:
    total = 0.0
    for v, c, o in zip(point, center, offset, strict=True):
        away = abs(v - c)
        total += ALPHA * away if away <= o else ALPHA * o + (away - o)
    return total


def kernel_ranks(case: Case) -> list[tuple[int, int]]:
    def ragged(rows: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
        flat = [value for row in rows for value in row]
        return np.cumsum([0, *map(len, rows)]), np.array(flat, np.int32)

    flat = [box for boxes in case.boxes for box in boxes]
    hard_offsets, hard = ragged(case.hard)
    closer, level = np.full((2, len(hard)), -1)
    ranks_kernel(
        np.array(case.points, np.float32),
        np.array([center for center, _ in flat], np.float32),
        np.array([offset for _, offset in flat], np.float32),
        np.cumsum([0, *map(len, case.boxes)]),
        *ragged(case.easy),
        hard_offsets,
        hard,
        np.float32(ALPHA),
        closer,
        level,
    )
    return list(zip(closer.tolist(), level.tolist(), strict=True))


@given(cases())
def test_ranks_are_those_of_a_sort(case: Case) -> None:
    assert kernel_ranks(case) == sorted_ranks(case)


@pytest.mark.parametrize("entities", [BLOCK - 1, BLOCK, 2 * BLOCK + 1])
@pytest.mark.parametrize("queries", [1, TILE, TILE + 1])
def test_across_tiles_and_blocks(entities: int, queries: int) -> None:
    generator = np.random.default_rng(entities + queries)

    def vectors(low: int, high: int, count: int) -> list[list[int]]:
        return generator.integers(low, high, (count, 2)).tolist()

    boxes = [
        list(zip(vectors(-3, 4, n), vectors(0, 3, n), strict=True))
        for n in generator.integers(1, 3, queries)
    ]
    kinds = generator.integers(0, 4, (queries, entities))
    easy, hard = ([np.flatnonzero(row == kind).tolist() for row in kinds] for kind in (1, 2))
    hard[0] = []
    case = Case(vectors(-3, 4, entities), boxes, easy, hard)
    assert kernel_ranks(case) == sorted_ranks(case)


def test_one_distance_for_all_is_ranked_in_the_middle() -> None:
    case = Case([[1]] * 5, [[([0], [0])]], [[1]], [[2]])
    assert kernel_ranks(case) == [(0, 3)]


@pytest.mark.parametrize("dim", [3, 50, 400])
def test_equal_points_tie_exactly(dim: int) -> None:
    generator = np.random.default_rng(dim)
    points = np.repeat(generator.normal(size=(1, dim)).astype(np.float32), 200, 0)
    box = generator.normal(size=(2, 1, dim)).astype(np.float32)
    closer, level = np.full((2, 1), -1)
    offsets, nothing = np.array([0, 1]), np.array([0, 0])
    ranks_kernel(
        points,
        box[0],
        abs(box[1]),
        offsets,
        nothing,
        np.empty(0, np.int32),
        offsets,
        np.array([77], np.int32),
        np.float32(0.2),
        closer,
        level,
    )
    assert (closer[0], level[0]) == (0, 199)


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e38])
def test_numbers_out_of_bounds_are_no_honour(value: float) -> None:
    """A diverged model must neither crash nor come first."""
    points = np.full((200, 3), value, np.float32)
    closer, level = np.full((2, 1), -1)
    offsets = np.array([0, 1])
    ranks_kernel(
        points,
        np.zeros((1, 3), np.float32),
        np.zeros((1, 3), np.float32),
        offsets,
        np.array([0, 0]),
        np.empty(0, np.int32),
        offsets,
        np.array([7], np.int32),
        np.float32(0.2),
        closer,
        level,
    )
    assert closer[0] + level[0] > 100
