"""Exact answers against a checker that tries every value, and against real files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle import denote
from query2box.errors import DataError, QueryError, UnknownNameError
from query2box.graph.knowledge_graph import KnowledgeGraph
from query2box.query.dnf import disjuncts, to_dnf
from query2box.query.names import unbind
from query2box.query.nodes import Anchor, Query, Variable, intersection, projection, union
from query2box.query.skeleton import STRUCTURES, skeleton_of
from query2box.query.variables import canonical
from query2box.workload import denotation as module
from query2box.workload.answer_file import answer_all
from query2box.workload.denotation import answer_group, answer_rows, denotation
from query2box.workload.plain import PlainGraph, plain_answers
from query2box.workload.query_files import read_queries
from query2box.workload.query_set import Ragged
from strategies import NUM_ENTITIES, NUM_RELATIONS, graphs, make_graph, queries, tree_queries


@settings(max_examples=150)
@given(graphs(), queries())
def test_equals_trying_every_value(graph: KnowledgeGraph, query: Query) -> None:
    answers = denotation(query, graph)
    assert answers.dtype == np.int32
    assert answers.tolist() == sorted(denote(query, graph))


@settings(max_examples=80)
@given(graphs(), queries())
def test_equals_the_union_of_the_disjuncts(graph: KnowledgeGraph, query: Query) -> None:
    parts = [denotation(part, graph) for part in disjuncts(to_dnf(query, limit=10_000))]
    assert denotation(query, graph).tolist() == sorted(set(np.concatenate(parts).tolist()))


@settings(max_examples=50)
@given(graphs(), tree_queries())
def test_equals_the_plain_way(graph: KnowledgeGraph, query: Query) -> None:
    plain = PlainGraph(map(tuple, graph.edges.tolist()))
    assert denotation(query, graph).tolist() == sorted(plain_answers(query, plain))


@settings(max_examples=30)
@given(graphs(), queries())
def test_names_say_the_same(graph: KnowledgeGraph, query: Query) -> None:
    assert np.array_equal(denotation(unbind(query, graph), graph), denotation(query, graph))


@settings(max_examples=30)
@given(graphs(), st.lists(queries(), max_size=8), st.sampled_from([1, 2]))
def test_many_at_once_equal_one_by_one(graph: KnowledgeGraph, many: list[Query], n: int) -> None:
    found = [answers.tolist() for answers in answer_all(many, graph, threads=n)]
    assert found == [denotation(query, graph).tolist() for query in many]


def loop(entity: int, definition: tuple[int, ...], uses: tuple[int, ...], label: int) -> Query:
    """Uses of one variable, which `definition` leads to, met in one target."""
    inner: Query = Anchor(entity)
    for relation in definition:
        inner = projection(relation, inner)
    return intersection(*(projection(use, Variable(label, inner)) for use in uses))


@settings(max_examples=50)
@given(
    graphs(),
    st.lists(
        st.builds(
            lambda entity, definition, uses: loop(entity, tuple(definition), tuple(uses), 1),
            st.integers(0, NUM_ENTITIES - 1),
            st.lists(st.integers(0, 2 * NUM_RELATIONS - 1), min_size=1, max_size=2),
            st.lists(st.integers(0, 2 * NUM_RELATIONS - 1), min_size=2, max_size=3, unique=True),
        ),
        min_size=2,
        max_size=3,
    ),
)
def test_branches_of_a_union_may_reuse_labels(graph: KnowledgeGraph, parts: list[Query]) -> None:
    query = canonical(union(*parts))
    expected = set().union(*(denote(part, graph) for part in parts))
    assert denotation(query, graph).tolist() == sorted(expected)


def test_a_union_does_without_a_variable_that_has_no_value() -> None:
    graph = make_graph([(0, 0, 1), (0, 1, 1)])
    nothing = Variable(1, projection(2 * 2, Anchor(0)))
    query = intersection(
        union(projection(0, nothing), projection(0, Anchor(0))),
        union(projection(2, nothing), projection(2, Anchor(0))),
    )
    assert denotation(canonical(query), graph).tolist() == [1]


def test_one_value_for_all_uses() -> None:
    # Entities 1 and 2 are both reached from 0, but only 1 has both edges to 3.
    graph = make_graph([(0, 0, 1), (0, 0, 2), (1, 1, 3), (1, 2, 3), (1, 1, 4), (2, 2, 4)])
    assert denotation(loop(0, (0,), (2, 4), 1), graph).tolist() == [3]
    apart = intersection(*(projection(r, projection(0, Anchor(0))) for r in (2, 4)))
    assert denotation(apart, graph).tolist() == [3, 4]


def test_text_is_parsed() -> None:
    graph = make_graph([(0, 0, 1), (2, 1, 1), (0, 0, 3)])
    assert denotation("?x : r0(e0, ?x) & r1(e2, ?x)", graph).tolist() == [1]
    assert denotation("SELECT ?x WHERE { <e0> <r0> ?x }", graph).tolist() == [1, 3]


def test_the_graph_chosen_counts() -> None:
    names = make_graph([(0, 0, 1)])
    edges = {"train": np.array([[0, 0, 1]]), "valid": np.array([[0, 0, 2]])}
    graph = KnowledgeGraph(names.entities, names.relations, edges)
    query = projection(0, Anchor(0))
    assert denotation(query, graph.train).tolist() == [1]
    assert denotation(query, graph.valid).tolist() == [1, 2]


def test_ids_that_do_not_exist_are_refused() -> None:
    graph = make_graph([(0, 0, 1)])
    with pytest.raises(UnknownNameError):
        denotation(projection(0, Anchor(NUM_ENTITIES)), graph)
    with pytest.raises(UnknownNameError):
        denotation(projection(2 * NUM_RELATIONS, Anchor(0)), graph)
    one = np.array([[0]], np.int32)
    for entity in (-1, NUM_ENTITIES):
        with pytest.raises(DataError, match="entity id"):
            answer_rows(STRUCTURES["1p"], one + entity, one, graph.adjacency)


def test_endless_loops_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    star = make_graph([(0, 0, tail) for tail in range(1, NUM_ENTITIES)])
    query = loop(0, (0,), (1, 3), 1)
    assert denotation(query, star).tolist() == []
    monkeypatch.setattr(module, "MAX_WORK", 20)
    with pytest.raises(QueryError, match="over 20 entities"):
        denotation(query, star)
    # Without loops there is nothing to bound.
    assert len(denotation(projection(0, Anchor(0)), star)) == NUM_ENTITIES - 1


def test_no_queries_have_no_answers() -> None:
    graph = make_graph([(0, 0, 1)])
    nothing = np.empty((0, 1), np.int32)
    assert len(answer_rows(STRUCTURES["1p"], nothing, nothing, graph.adjacency)) == 0


def test_skeletons_are_answered_whatever_their_slots_hold() -> None:
    graph = make_graph([(0, 0, 1), (1, 1, 2), (0, 1, 2)])
    skeleton, _, _ = skeleton_of(projection(2, projection(0, Anchor(0))))
    found = answer_rows(
        skeleton,
        np.array([[0], [0]], np.int32),
        np.array([[0, 2], [1, 1]], np.int32),
        graph.adjacency,
    )
    assert [row.tolist() for row in found] == [[2], []]


@pytest.mark.parametrize(
    ("dataset", "split", "before"),
    [
        ("FB15k-237", "valid", "train"),
        ("NELL995", "valid", "train"),
        ("NELL995", "test", "valid"),
    ],
)
def test_equals_the_published_answers(
    shared_data: Path, dataset: str, split: str, before: str
) -> None:
    graph = KnowledgeGraph.load(shared_data / dataset)
    queries = read_queries(shared_data / dataset / f"{split}-queries.jsonl.gz", graph)
    smaller, larger = graph.up_to(before).adjacency, graph.up_to(split).adjacency
    for group in queries.groups:
        assert_same(answer_group(group, smaller), group.easy)
        found = answer_group(group, larger)
        assert_same(found.without(group.easy), group.hard)
        assert np.array_equal(found.counts, group.easy.counts + group.hard.counts)


def assert_same(one: Ragged, other: Ragged) -> None:
    assert np.array_equal(one.offsets, other.offsets)
    assert np.array_equal(one.values, other.values)
