"""Theorem 1's M against what all 1p and 2i queries of small graphs say."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from oracle import denote
from query2box.experiment.report.disjoint import (
    Disjoint,
    disjoint_queries,
    disjoint_table,
    in_words,
)
from query2box.experiment.report.paper import papers
from query2box.experiment.report.tables import Figure
from query2box.graph.knowledge_graph import KnowledgeGraph
from query2box.query.nodes import Anchor, projection
from recorded import recorded_dataset
from strategies import graphs, make_graph

ALL = 10_000


def one_hop_answers(graph: KnowledgeGraph) -> dict[tuple[int, int], set[int]]:
    """The 1p queries that have answers."""
    found = {
        (entity, relation): denote(projection(relation, Anchor(entity)), graph)
        for entity in range(graph.num_entities)
        for relation in range(2 * graph.num_relations)
    }
    return {query: answers for query, answers in found.items() if answers}


@given(graphs(), st.integers(0, 5))
def test_no_two_have_an_answer_in_common(graph: KnowledgeGraph, tried: int) -> None:
    found = disjoint_queries(graph, tried)
    answers = [denote(query, graph) for query in found.queries()]
    assert len(answers) == found.size <= graph.num_entities
    assert all(answers)
    assert sum(map(len, answers)) == len(set().union(*answers))


@given(graphs())
def test_none_can_be_added(graph: KnowledgeGraph) -> None:
    found = disjoint_queries(graph, ALL)
    taken = set().union(*(denote(query, graph) for query in found.queries()))
    every = one_hop_answers(graph).values()
    assert all(answers & taken for answers in every)
    for first, second in combinations(every, 2):
        assert not first & second or first & second & taken


@given(graphs())
def test_one_hop_queries_with_few_answers_come_first(graph: KnowledgeGraph) -> None:
    taken: set[int] = set()
    wanted = []
    answers = one_hop_answers(graph)
    for query in sorted(answers, key=lambda query: (len(answers[query]), query)):
        if not answers[query] & taken:
            taken |= answers[query]
            wanted.append(query)
    assert list(disjoint_queries(graph).one_hop) == wanted


def test_by_hand() -> None:
    # r0 leads from 0 to {2, 3} and from 1 to {3, 4}; turned around, each of 2 and 4 leads
    # back to one entity, 3 to both.
    graph = make_graph([(0, 0, 2), (0, 0, 3), (1, 0, 3), (1, 0, 4)], 5, 1)
    found = disjoint_queries(graph)
    # ^r0 of 2 is {0}, ^r0 of 4 is {1}; then r0 of 0 is {2, 3}, which leaves 4 to nobody.
    assert found == Disjoint(((2, 1), (4, 1), (0, 0)), ())
    # With 4 reached from 5 as well, r1 of 5 is {4} alone.
    more = make_graph([(0, 0, 2), (0, 0, 3), (1, 0, 3), (1, 0, 4), (5, 1, 4)], 6, 2)
    assert disjoint_queries(more).size == 5


def test_a_pair_where_single_queries_overlap() -> None:
    # 0 leads to {2, 3}, 1 to {2, 4}; 3 and 4 are taken by single queries, so 2 needs both.
    edges = [(0, 0, 2), (0, 0, 3), (1, 0, 2), (1, 0, 4), (5, 1, 3), (5, 2, 4)]
    found = disjoint_queries(make_graph(edges, 6, 3))
    assert found.pairs == (((0, 0), (1, 0)),)


def test_no_edges() -> None:
    assert disjoint_queries(make_graph([])).size == 0


def test_in_words() -> None:
    dataset = recorded_dataset()
    found = Disjoint(((0, 0), (1, 0)), (((2, 0), (3, 0)),))
    words = in_words(dataset, found)
    assert "On FB15k-237, 3 conjunctive queries" in words
    assert "VC dimension of at least 3." in words
    assert "d + 1, would need 2 dimensions, and boxes, which have 2d, 2;" in words


def test_the_papers_own() -> None:
    fb15k = next(paper for paper in papers() if paper.name == "FB15k")
    dataset = replace(recorded_dataset(), paper=fb15k)
    row = disjoint_table([(dataset, Disjoint((), ()))]).rows[1]
    values = [cell.value for cell in row[1:] if isinstance(cell, Figure)]
    assert values == [14_951, 10_812, 2_553, 13_365]
