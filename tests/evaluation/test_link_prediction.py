"""Link prediction in the conventional way, against triples looked up one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from query2box.errors import DataError
from query2box.evaluation.link_prediction import link_queries
from query2box.graph.knowledge_graph import KnowledgeGraph
from strategies import NUM_ENTITIES, NUM_RELATIONS, make_graph

Edge = tuple[int, int, int]
EDGES = st.tuples(
    st.integers(0, NUM_ENTITIES - 1),
    st.integers(0, NUM_RELATIONS - 1),
    st.integers(0, NUM_ENTITIES - 1),
)


def split_graph(train: set[Edge], valid: set[Edge], test: set[Edge]) -> KnowledgeGraph:
    whole = make_graph(sorted(train))
    splits = {"train": train, "valid": valid - train, "test": test - valid - train}
    return KnowledgeGraph(
        whole.entities,
        whole.relations,
        {name: np.array(sorted(edges), np.int32).reshape(-1, 3) for name, edges in splits.items()},
    )


@given(
    *[st.sets(EDGES, min_size=1, max_size=12) for _ in range(3)], st.sampled_from(["valid", "test"])
)
def test_every_edge_is_asked_for_from_both_ends(train, valid, test, split: str) -> None:
    graph = split_graph(train, valid, test)
    edges = [tuple(edge) for edge in graph.edges_of(split).tolist()]
    if not edges:
        with pytest.raises(DataError, match=f"no {split} edges"):
            link_queries(graph, split)
        return
    before = {tuple(e) for e in graph.edges_of("train").tolist()}
    if split == "test":
        before |= {tuple(e) for e in graph.edges_of("valid").tolist()}
    wanted: dict[tuple[int, int], tuple[set[int], set[int]]] = {}
    for h, r, t in edges:
        for asked, answer in (((h, 2 * r), t), ((t, 2 * r + 1), h)):
            wanted.setdefault(asked, (set(), set()))[1].add(answer)
    for h, r, t in before:
        for asked, answer in (((h, 2 * r), t), ((t, 2 * r + 1), h)):
            if asked in wanted:
                wanted[asked][0].add(answer)
    group = link_queries(graph, split)
    found = {
        (int(group.entities[row, 0]), int(group.relations[row, 0])): (
            set(group.easy[row].tolist()),
            set(group.hard[row].tolist()),
        )
        for row in range(len(group))
    }
    assert found == wanted
    assert len(group.hard.values) == 2 * len(edges)
    for ragged in (group.easy, group.hard):
        assert all(row.tolist() == sorted(set(row.tolist())) for row in ragged)


@pytest.mark.parametrize("split", ["train", "test"])
def test_there_is_nothing_to_predict(split: str) -> None:
    graph = make_graph([(0, 0, 1)])
    with pytest.raises(DataError, match=f"no {split} edges"):
        link_queries(graph, split)
