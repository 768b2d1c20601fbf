"""Negatives: true shares, and sums that are right on average."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from families import families
from query2box.query.skeleton import structure
from query2box.training.negatives import Negatives
from query2box.workload.query_set import QueryGroup
from query2box.workload.sampler import sample_queries
from shapes import SHAPES

GRAPH = families()


def groups(*names: str, size: int = 12) -> list[QueryGroup]:
    return [sample_queries(GRAPH.adjacency, structure(n), size, seed=1, threads=1) for n in names]


def leads_to(relation: int) -> set[int]:
    """Where a directed relation leads, by looking at every edge."""
    backwards = relation % 2
    return {
        int(head if backwards else tail)
        for head, own, tail in GRAPH.edges.tolist()
        if own == relation // 2
    }


@pytest.mark.parametrize("name", SHAPES)
def test_the_last_relation_is_the_narrowest_that_leads_to_the_answers(name: str) -> None:
    (group,) = groups(name)
    found = Negatives(GRAPH.adjacency, 10, 0.5, 4).last_relations(group)
    for row, relation in enumerate(found.tolist()):
        if relation >= 0:
            assert relation in group.relations[row]
            if name in ("1p", "2p", "3p", "2i", "3i"):
                assert set(group.easy[row].tolist()) <= leads_to(relation)
                slots = {"1p": [0], "2p": [1], "3p": [2]}.get(name, [0, 1, 2])
                own = group.relations[row][[s for s in slots if s < group.relations.shape[1]]]
                assert len(leads_to(relation)) == min(len(leads_to(r)) for r in own.tolist())


@given(
    st.integers(1, 40),
    st.sampled_from([0.0, 0.3, 0.5, 1.0]),
    st.integers(1, 30),
    st.integers(0, 2**32),
)
def test_an_order_of_all_queries_and_rows_that_ascend(
    count: int, near: float, chunk: int, seed: int
) -> None:
    order, negatives, shifts = Negatives(GRAPH.adjacency, count, near, chunk).draw(
        groups("1p", "3i"), seed
    )
    assert sorted(order.tolist()) == list(range(24))
    assert negatives.shape == shifts.shape == (-(-24 // chunk), count)
    assert (np.diff(negatives, axis=1) >= 0).all()
    assert negatives.min() >= 0
    assert negatives.max() < GRAPH.num_entities
    if near == 0:  # each stands for as many as the others
        np.testing.assert_allclose(shifts, np.log(GRAPH.num_entities / count), rtol=1e-5)


def test_sums_over_negatives_are_sums_over_all_entities_on_average() -> None:
    """For every entity: how often it is drawn times how many it then stands for is once."""
    drawer = Negatives(GRAPH.adjacency, 8, 0.5, 6)
    asked = groups("1p", "2i")
    draws = 6000
    total = np.zeros((4, GRAPH.num_entities))
    for seed in range(draws):
        _, negatives, shifts = drawer.draw(asked, seed)
        for chunk in range(4):
            np.add.at(total[chunk], negatives[chunk], np.exp(shifts[chunk]))
    np.testing.assert_allclose(total / draws, 1.0, atol=0.25)
    np.testing.assert_allclose(total.mean() / draws, 1.0, atol=0.02)


def test_the_right_kind_comes_more_often() -> None:
    (group,) = groups("1p")
    group = group.take(np.flatnonzero(group.relations[:, 0] == group.relations[0, 0]))
    kind = leads_to(int(group.relations[0, 0]))
    assert len(kind) < GRAPH.num_entities / 2
    count = 2 * len(kind)
    _, negatives, _ = Negatives(GRAPH.adjacency, count, 0.5, len(group)).draw([group], 0)
    assert kind <= set(negatives[0].tolist())  # there was room for all of them
