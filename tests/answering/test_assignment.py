from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from query2box.answering import assignment
from query2box.answering.assignment import Problem, assignments


@st.composite
def problems(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    parents = [-1, *(draw(st.integers(0, v - 1)) for v in range(1, len(sizes)))]

    def table(*shape):
        return -rng.integers(0, 5, shape).astype(float)

    pairs = [(v, p) for v in range(len(sizes)) for p in range(v) if draw(st.booleans())]
    return Problem(
        [table(size) for size in sizes],
        parents,
        [np.zeros((0, 0)), *(table(sizes[v], sizes[parents[v]]) for v in range(1, len(sizes)))],
        {(v, p): table(sizes[v], sizes[p]) for v, p in pairs},
    )


def rating(problem, places):
    total = sum(own[place] for own, place in zip(problem.own, places, strict=True))
    for v in range(1, len(places)):
        total += problem.tables[v][places[v], places[problem.parents[v]]]
    return total + sum(table[places[v], places[p]] for (v, p), table in problem.others.items())


@given(problems())
def test_all_assignments_come_the_best_first(problem):
    found = list(assignments(problem))
    everything = {
        places: rating(problem, places) for places in product(*(range(len(o)) for o in problem.own))
    }
    assert {places: value for value, places in found} == pytest.approx(everything)
    assert len(found) == len(everything)
    values = [value for value, _ in found]
    assert values == pytest.approx(sorted(values, reverse=True))


@given(problems(), st.integers(0, 3))
def test_a_hurried_search_still_finds_one(problem, steps):
    before = assignment.MAX_STEPS
    assignment.MAX_STEPS = steps
    try:
        found = list(assignments(problem))
    finally:
        assignment.MAX_STEPS = before
    assert found
    for value, places in found:
        assert value == pytest.approx(rating(problem, places))
