from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from query2box.graph.builtin.held_out import hold_out, pair_groups

edge_lists = st.sets(
    st.tuples(st.integers(0, 12), st.integers(0, 3), st.integers(0, 12)), min_size=1, max_size=80
).map(sorted)
shares = st.sampled_from([0.0, 0.1, 0.3, 0.5])


def rows(edges):
    return [tuple(row) for row in edges.tolist()]


@given(edge_lists, shares, shares, st.integers(0, 5))
def test_splits_are_a_partition_within_their_shares(triples, valid, test, seed):
    edges = np.array(triples, np.int32)
    splits = hold_out(edges, pair_groups(edges), valid, test, seed)
    assert sorted(row for split in splits.values() for row in rows(split)) == triples
    assert len(splits["valid"]) <= round(valid * len(triples))
    assert len(splits["test"]) <= round(test * len(triples))
    assert all(rows(split) == sorted(rows(split)) for split in splits.values())


@given(edge_lists, st.integers(0, 5))
def test_what_is_held_out_stays_known_in_training(triples, seed):
    edges = np.array(triples, np.int32)
    splits = hold_out(edges, pair_groups(edges), 0.3, 0.3, seed)
    train = rows(splits["train"])
    for head, relation, tail in rows(splits["valid"]) + rows(splits["test"]):
        assert any(head in (h, t) for h, _, t in train)
        assert any(tail in (h, t) for h, _, t in train)
        assert any(relation == r for _, r, _ in train)


@given(edge_lists, st.integers(0, 5))
def test_edges_between_the_same_two_entities_stay_together(triples, seed):
    edges = np.array(triples, np.int32)
    splits = hold_out(edges, pair_groups(edges), 0.3, 0.3, seed)
    seen: dict[frozenset[int], str] = {}
    for name, split in splits.items():
        for head, _, tail in rows(split):
            assert seen.setdefault(frozenset((head, tail)), name) == name


def test_a_seed_gives_the_same_splits_for_ever():
    triples = [(i, i % 2, (i * 7 + 3) % 20) for i in range(20)]
    edges = np.array(triples, np.int32)
    first = hold_out(edges, pair_groups(edges), 0.1, 0.2, seed=1)
    assert rows(first["valid"]) == [(9, 1, 6), (16, 0, 15)]
    assert rows(first["test"]) == [(1, 1, 10), (3, 1, 4), (8, 0, 19), (13, 1, 14)]
    other = hold_out(edges, pair_groups(edges), 0.1, 0.2, seed=2)
    assert rows(first["test"]) != rows(other["test"])


def test_shares_are_met_where_the_graph_allows_it():
    triples = [(i, 0, j) for i in range(30) for j in range(30) if i < j]
    edges = np.array(triples, np.int32)
    splits = hold_out(edges, pair_groups(edges), 0.1, 0.2, seed=0)
    assert len(splits["valid"]) == round(0.1 * len(triples))
    assert len(splits["test"]) == round(0.2 * len(triples))
