"""Figures by hand."""

from __future__ import annotations

import numpy as np
import pytest

from query2box.evaluation.metrics import Metrics, Ranks
from query2box.workload.query_set import Ragged


def test_ranks() -> None:
    ranks = Ranks(np.array([0, 2, 4]), np.array([0, 1, 4]))
    assert ranks.optimistic.tolist() == [1, 3, 5]
    assert ranks.pessimistic.tolist() == [1, 4, 9]
    assert ranks.realistic.tolist() == [1, 3.5, 7]


def test_the_mean_over_answers_then_over_queries() -> None:
    # One query with ranks 1 and 4, one with 2, one without answers, one with 20.
    ranks = np.array([1.0, 4.0, 2.0, 20.0])
    found = Metrics.by_query(ranks, Ragged.from_lists([[5, 6], [5], [], [9]]))
    assert found.mrr == pytest.approx(((1 + 1 / 4) / 2 + 1 / 2 + 1 / 20) / 3)
    assert found.hits_1 == pytest.approx((1 / 2 + 0 + 0) / 3)
    assert found.hits_3 == pytest.approx((1 / 2 + 1 + 0) / 3)
    assert found.hits_10 == pytest.approx((1 + 1 + 0) / 3)
    assert found.queries == 3


def test_the_mean_over_answers() -> None:
    found = Metrics.by_answer(np.array([1.0, 4.0, 2.0, 20.0]))
    assert found.mrr == pytest.approx((1 + 1 / 4 + 1 / 2 + 1 / 20) / 4)
    assert found.figures()[1:] == (1 / 4, 2 / 4, 3 / 4)
    assert found.queries == 4


def test_a_rank_between_two_places_is_no_hit_of_the_better_one() -> None:
    assert Metrics.by_answer(np.array([1.5, 3.5, 10.5])).figures()[1:] == (0, 1 / 3, 2 / 3)


def test_perfection_is_exactly_one() -> None:
    rows = [[0] * (n + 1) for n in range(97)]
    answers = Ragged.from_lists(rows)
    found = Metrics.by_query(np.ones(len(answers.values)), answers)
    assert found.figures() == (1.0, 1.0, 1.0, 1.0)


def test_the_mean_over_structures() -> None:
    found = Metrics.mean([Metrics(1.0, 0.5, 0.2, 0.0, 10), Metrics(0.0, 0.5, 0.4, 1.0, 90)])
    assert found == Metrics(0.5, 0.5, pytest.approx(0.3), 0.5, 100)


def test_nothing_at_all() -> None:
    nothing = Metrics(0.0, 0.0, 0.0, 0.0, 0)
    assert Metrics.mean([]) == nothing
    assert Metrics.by_answer(np.empty(0)) == nothing
    assert Metrics.by_query(np.empty(0), Ragged.empty(3)) == nothing
    assert Metrics.by_query(np.empty(0), Ragged.empty(0)) == nothing


def test_json() -> None:
    assert Metrics(0.1, 0.2, 0.3, 0.4, 5).to_json() == {
        "mrr": 0.1,
        "hits@1": 0.2,
        "hits@3": 0.3,
        "hits@10": 0.4,
        "queries": 5,
    }
