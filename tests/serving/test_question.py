from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from query2box.answering.questions import Asked, understand
from query2box.errors import QueryError
from query2box.graph.knowledge_graph import KnowledgeGraph
from query2box.query.dnf import count_disjuncts
from query2box.query.nodes import Anchor, Projection, Variable, walk
from query2box.serving.question import question_forms
from query2box.workload.denotation import denotation
from strategies import graphs, make_graph, queries, tree_queries


def labelled(graph: KnowledgeGraph, labels: dict[int, str]) -> KnowledgeGraph:
    splits = {split: graph.edges_of(split) for split in graph.splits}
    return KnowledgeGraph(graph.entities, graph.relations, splits, labels)


# Labels that are unique, that two entities share, and that are another entity's name.
LABELS = st.dictionaries(st.integers(0, 6), st.sampled_from(["Ann", "a b", "e1", "It's", ""]))


@given(LABELS, tree_queries())
@settings(max_examples=25)
def test_every_form_is_the_same_question(labels, query) -> None:
    graph = labelled(make_graph([]), labels)
    forms = question_forms(Asked(query), graph)
    assert understand(forms["nodes"], graph).query == query
    assert understand(forms["formula"], graph).query == query
    assert understand(forms["sparql"], graph).query == query
    assert forms["disjuncts"] == count_disjuncts(query)


@given(graphs(), LABELS, queries())
@settings(max_examples=25)
def test_every_form_of_a_shared_variable_means_the_same(graph, labels, query) -> None:
    graph = labelled(graph, labels)
    forms = question_forms(Asked(query), graph)
    answers = denotation(query, graph).tolist()
    assert understand(forms["nodes"], graph).query == query
    assert denotation(forms["formula"], graph).tolist() == answers
    assert denotation(forms["sparql"], graph).tolist() == answers


def leads_to(terms: list[dict[str, Any]], atoms: list[dict[str, Any]], target: int) -> set[int]:
    """The terms from which there is a way to a term, found by going back step by step."""
    found = {target}
    while more := {a["source"] for a in atoms if a["destination"] in found} - found:
        found |= more
    return found


@given(queries())
@settings(max_examples=25)
def test_the_picture_has_all_parts_and_all_lead_to_the_target(query) -> None:
    picture = question_forms(Asked(query), make_graph([]))["graph"]
    terms, atoms = picture["terms"], picture["atoms"]
    assert [term["kind"] for term in terms].count("target") == 1
    assert terms[0]["kind"] == "target"
    assert leads_to(terms, atoms, 0) == set(range(len(terms)))
    for atom in atoms:
        junction = terms[atom["source"]]["kind"] in ("or", "and")
        assert (atom["relation"] is None) == junction
    named = {node.entity for node in walk(query) if isinstance(node, Anchor)}
    assert {term["entity"] for term in terms if term["kind"] == "entity"} == {
        f"e{entity}" for entity in named
    }
    used = {(node.relation >> 1, not node.relation & 1) for node in walk(query)
            if isinstance(node, Projection)}  # fmt: skip
    drawn = {(a["relation"], a["forward"]) for a in atoms if a["relation"] is not None}
    assert drawn == {(f"r{relation}", forward) for relation, forward in used}


@given(tree_queries())
@settings(max_examples=25)
def test_the_picture_of_a_tree_is_a_tree(query) -> None:
    picture = question_forms(Asked(query), make_graph([]))["graph"]
    assert len(picture["atoms"]) == len(picture["terms"]) - 1
    projections = sum(isinstance(node, Projection) for node in walk(query))
    assert sum(atom["relation"] is not None for atom in picture["atoms"]) == projections


def test_a_shared_variable_is_drawn_once() -> None:
    shared = ["v", 1, ["p", "r0", ["e", "e0"]]]
    graph = make_graph([])
    asked = understand(["i", ["p", "r1", shared], ["p", "r2", shared]], graph)
    assert any(isinstance(node, Variable) for node in walk(asked.query))
    picture = question_forms(asked, graph)["graph"]
    assert [term["kind"] for term in picture["terms"]].count("variable") == 1
    assert len(picture["atoms"]) == 3


@pytest.mark.parametrize(
    ("formula", "structure"),
    [
        ("?t : r0(e0, ?x) & r1(e1, ?x) & r2(?x, ?t)", "ip"),
        ("?t : r0(e0, ?t) | r1(e1, ?t)", "2u"),
        ("?t : r0(e0, ?t) & (r1(e1, ?t) | r2(e2, ?t))", None),
    ],
)
def test_the_structure_is_one_of_the_nine_or_none(formula, structure) -> None:
    graph = make_graph([])
    assert question_forms(understand(formula, graph), graph)["structure"] == structure


def test_over_http(client) -> None:
    def read(query: object) -> Any:
        response = client.post("/api/query", json={"query": query})
        assert response.status_code == 200, response.text
        return response.json()

    found = read("SELECT ?c WHERE { <mother0> <child> ?c } LIMIT 3")
    assert found["error"] is None
    assert found["question"]["formula"] == "?t : child(mother0, ?t)"
    assert found["question"]["limit"] == 3
    assert read(found["question"]["nodes"])["question"]["sparql"] == found["question"]["sparql"]

    wrong = read("?c : child(mohter0, ?c)")
    assert wrong["question"] is None
    assert wrong["error"]["position"] == 11
    assert "mother0" in wrong["error"]["suggestions"]
    assert client.post("/api/query", json={"query": 7}).status_code == 422
    assert client.post("/api/query", json={"query": "x" * 10_000}).status_code == 413


def test_what_cannot_be_asked_is_an_error() -> None:
    with pytest.raises(QueryError):
        question_forms(understand(["e", "e0"], make_graph([])), make_graph([]))
