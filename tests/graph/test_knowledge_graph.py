from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from query2box.errors import AmbiguousNameError, DataError, UnknownNameError
from query2box.graph.knowledge_graph import SPLITS, KnowledgeGraph, Split
from query2box.graph.vocabulary import Vocabulary

Edges = list[tuple[int, int, int]]
EDGE = st.tuples(st.integers(0, 4), st.integers(0, 1), st.integers(0, 4))


def graph_of(splits: dict[Split, Edges], **options: dict[int, str]) -> KnowledgeGraph:
    return KnowledgeGraph(
        Vocabulary("entity", "abcde"),
        Vocabulary("relation", "rs"),
        {split: np.array(edges, np.int32).reshape(-1, 3) for split, edges in splits.items()},
        **options,
    )


@st.composite
def split_edges(draw: st.DrawFn) -> dict[Split, Edges]:
    edges = draw(st.lists(EDGE, unique=True))
    chosen = draw(st.sampled_from([("train",), ("train", "valid"), ("train", "test"), SPLITS]))
    places = draw(st.lists(st.sampled_from(chosen), min_size=len(edges), max_size=len(edges)))
    return {s: [e for e, place in zip(edges, places, strict=True) if place == s] for s in chosen}


@given(split_edges())
def test_graphs_are_nested(splits: dict[Split, Edges]) -> None:
    graph = graph_of(splits)
    seen: Edges = []
    for split in SPLITS:
        seen += splits.get(split, [])
        nested = graph.up_to(split)
        assert list(map(tuple, nested.edges.tolist())) == seen
        assert nested.num_edges == len(seen)
        assert nested is getattr(graph, split)
        assert nested.entities is graph.entities
        index = nested.adjacency
        assert len(index.objects) == 2 * len(seen)
        assert list(map(tuple, graph.edges_of(split).tolist())) == splits.get(split, [])
        assert [*graph.triples(split)] == [
            ("abcde"[h], "rs"[r], "abcde"[t]) for h, r, t in splits.get(split, [])
        ]
    assert graph.test is graph
    assert graph.splits == tuple(splits)
    assert (graph.num_entities, graph.num_relations) == (5, 2)


def test_edges_cannot_be_changed() -> None:
    graph = graph_of({"train": [(0, 0, 1)], "valid": [(1, 0, 2)]})
    for edges in (graph.edges, graph.train.edges, graph.edges_of("valid")):
        with pytest.raises(ValueError, match="read-only"):
            edges[0, 0] = 3


@pytest.mark.parametrize("edge", [(5, 0, 0), (0, 2, 0), (0, 0, 5), (-1, 0, 0)])
def test_ids_outside_the_vocabularies(edge: tuple[int, int, int]) -> None:
    with pytest.raises(DataError, match="outside the vocabularies"):
        graph_of({"train": [edge]})


def test_training_edges_are_needed() -> None:
    with pytest.raises(DataError, match="needs training edges"):
        graph_of({"valid": [(0, 0, 0)]})
    with pytest.raises(DataError, match="no graph 'all'; say train, valid, test"):
        graph_of({"train": []}).up_to("all")  # type: ignore[arg-type]


def test_relations_have_two_directions() -> None:
    graph = graph_of({"train": []})
    names = ["r", "^r", "s", "^s"]
    assert [graph.relation_name(i) for i in range(4)] == names
    assert [graph.relation_id(name) for name in names] == [0, 1, 2, 3]
    for name in ("x", "^x"):
        with pytest.raises(UnknownNameError, match="unknown relation 'x'"):
            graph.relation_id(name)
    with pytest.raises(UnknownNameError):
        graph.relation_name(4)


def test_entities_by_name_and_by_label() -> None:
    graph = graph_of({"train": []}, labels={0: "Paris", 1: "Berlin", 2: "Paris", 3: "b"})
    assert graph.entity_id("Berlin") == 1
    assert graph.entity_id("b") == 1, "a name goes before a label"
    assert [graph.label(e) for e in range(5)] == ["Paris", "Berlin", "Paris", "b", "e"]
    with pytest.raises(AmbiguousNameError, match="'Paris' is ambiguous; say 'a' or 'c'"):
        graph.entity_id("Paris")
    with pytest.raises(UnknownNameError, match="did you mean 'Berlin'"):
        graph.entity_id("Brelin")
    with pytest.raises(UnknownNameError):
        graph.entity_name(5)
