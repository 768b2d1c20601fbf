from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from query2box.errors import DataError
from query2box.graph.adjacency import Adjacency

EDGES = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2), st.integers(0, 5)), unique=True)


@given(edges=EDGES, entities=st.integers(6, 8), relations=st.integers(3, 4))
def test_objects_are_those_of_the_edges(
    edges: list[tuple[int, int, int]], entities: int, relations: int
) -> None:
    expected = defaultdict(set)
    for head, relation, tail in edges:
        expected[head, 2 * relation].add(tail)
        expected[tail, 2 * relation + 1].add(head)
    rows = np.array(edges, np.int32).reshape(-1, 3)
    adjacency = Adjacency.build(rows, entities, relations)
    assert adjacency.num_entities == entities
    for entity in range(entities):
        for relation in range(2 * relations):
            found = adjacency.find(entity, relation)
            assert found.dtype == np.int32
            assert found.tolist() == sorted(expected[entity, relation])


@given(edges=EDGES)
def test_groups_are_as_the_docstring_says(edges: list[tuple[int, int, int]]) -> None:
    adjacency = Adjacency.build(np.array(edges, np.int32).reshape(-1, 3), 6, 3)
    assert len(adjacency.objects) == 2 * len(edges)
    assert adjacency.group_objects[-1] == len(adjacency.objects)
    assert adjacency.entity_groups[-1] == len(adjacency.group_relations)
    assert (np.diff(adjacency.group_objects) > 0).all()
    for first, last in zip(adjacency.entity_groups, adjacency.entity_groups[1:], strict=False):
        assert (np.diff(adjacency.group_relations[first:last]) > 0).all()


def test_an_edge_listed_twice_is_one() -> None:
    adjacency = Adjacency.build(np.array([[0, 0, 1], [0, 0, 1]], np.int32), 2, 1)
    assert adjacency.find(0, 0).tolist() == [1]
    assert adjacency.find(1, 1).tolist() == [0]


def test_an_index_cannot_be_changed() -> None:
    adjacency = Adjacency.build(np.array([[0, 0, 1]], np.int32), 2, 1)
    for array in ("entity_groups", "group_relations", "group_objects", "objects"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(adjacency, array)[0] = 0


def test_no_edges_and_no_entities() -> None:
    none = np.empty((0, 3), np.int32)
    assert Adjacency.build(none, 0, 0).num_entities == 0
    assert Adjacency.build(none, 2, 1).find(1, 0).tolist() == []


def test_a_graph_too_large_to_index() -> None:
    with pytest.raises(DataError, match="below 2"):
        Adjacency.build(np.empty((0, 3), np.int32), 2**31 - 1, 1000)
