"""Answers and ranks of evaluation queries."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from query2box.evaluation.details import EDGES, details, rank_shares
from query2box.evaluation.metrics import Metrics, Ranks
from query2box.query.skeleton import STRUCTURES
from query2box.workload.query_set import QueryGroup, Ragged

halves = st.integers(2, 500_000).map(lambda n: n / 2)


@given(st.lists(st.lists(halves, max_size=5), max_size=6))
def test_the_first_shares_add_up_to_the_hits(rows: list[list[float]]) -> None:
    ranks = np.array([rank for row in rows for rank in row])
    hard = Ragged.from_lists([range(len(row)) for row in rows])
    shares = rank_shares(ranks, hard)
    assert len(shares) == len(EDGES) + 1
    figures = Metrics.by_query(ranks, hard)
    assert np.cumsum(shares)[:3].tolist() == pytest.approx(list(figures.figures()[1:]))
    assert sum(shares) == pytest.approx(float(any(rows)))


def test_each_query_counts_alike() -> None:
    hard = Ragged.from_lists([[0, 1], [2], []])
    shares = rank_shares(np.array([1.0, 2.5, 200_000.0]), hard)
    assert shares[:2] == [0.25, 0.25]
    assert shares[-1] == 0.5
    assert sum(shares[2:-1]) == 0


def test_groups_of_one_structure_count_as_one() -> None:
    def group(name: str, easy: list[list[int]], hard: list[list[int]]) -> QueryGroup:
        shape = np.zeros((len(easy), 1), np.int32)
        parts = Ragged.from_lists(easy), Ragged.from_lists(hard)
        return QueryGroup(name, STRUCTURES["1p"], shape, shape, *parts)

    def ranks(*closer: int) -> Ranks:
        return Ranks(np.array(closer, np.int64), np.zeros(len(closer), np.int64))

    found = details(
        [
            (group("1p", [[1, 2], [3]], [[4], []]), ranks(0)),
            (group("1p", [[]], [[5, 6]]), ranks(1, 9)),
            (group("none", [[1]], [[]]), ranks()),
        ]
    )
    assert list(found) == ["1p"]
    assert (found["1p"]["answers"], found["1p"]["hard"]) == (2.5, 1.5)
    assert found["1p"]["ranks"][:3] == [0.5, 0.25, 0.25]
