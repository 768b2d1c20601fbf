"""Questions as text, read back."""

from __future__ import annotations

import gzip
import json
from itertools import count, islice

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from oracle import denote, satisfying
from query2box.errors import IllegalQueryError, QueryError
from query2box.graph.knowledge_graph import KnowledgeGraph
from query2box.graph.vocabulary import Vocabulary
from query2box.query.codec import from_json
from query2box.query.compile import computation_graph
from query2box.query.dnf import MAX_DISJUNCTS, count_disjuncts, disjuncts, to_dnf
from query2box.query.express import sentence_of
from query2box.query.formula import read_formula
from query2box.query.language import parse, parse_formula, parse_sparql
from query2box.query.nodes import (
    Anchor,
    Query,
    Union,
    Variable,
    intersection,
    operands_of,
    projection,
    rename,
    union,
)
from query2box.query.render import render, render_sparql
from query2box.query.variables import canonical
from sentences import sentences
from strategies import NUM_ENTITIES, NUM_RELATIONS, graphs, queries, tree_queries


@given(tree_queries())
def test_a_tree_is_read_back(query):
    assert parse_formula(render(query)) == query


@given(sentences())
def test_what_a_sentence_asks_is_read_back(sentence):
    try:
        query = computation_graph(sentence)
    except QueryError:
        return
    assert computation_graph(sentence_of(query)) == query
    assert parse_formula(render(query)) == query


@given(queries())
def test_a_query_is_read_back_unless_variables_cross_unions(query):
    assume(count_disjuncts(query) <= MAX_DISJUNCTS)
    again = parse_formula(render(query))
    assert to_dnf(again) == to_dnf(query)
    if not any(map(crosses, disjuncts(query))):
        assert again == query


def crosses(query: Query) -> bool:
    """Whether a variable is used both inside and outside of a union's branch."""
    homes: dict[int, tuple] = {}
    fresh = count()

    def visit(node: Query, branch: tuple) -> bool:
        if isinstance(node, Variable):
            if node.label in homes:
                return homes[node.label] != branch
            homes[node.label] = branch
        number = next(fresh)
        return any(
            visit(q, (*branch, (number, i)) if isinstance(node, Union) else branch)
            for i, q in enumerate(operands_of(node))
        )

    return visit(query, ())


@given(queries(), graphs())
def test_the_text_means_what_the_query_does(query, graph):
    assume(count_disjuncts(query) <= MAX_DISJUNCTS)
    sentence = read_formula(render(query))
    assert satisfying(sentence.formula, sentence.target, graph) == denote(query, graph)


@settings(max_examples=30)
@given(queries())
def test_sparql_and_formula_of_a_question_give_the_same_nodes(query):
    assume(count_disjuncts(query) <= MAX_DISJUNCTS)
    assert parse_sparql(render_sparql(query)) == parse_formula(render(query))


odd_names = st.lists(
    st.one_of(
        st.text(min_size=1, max_size=6),
        st.sampled_from(
            ["not", "New York", "^up", "#17", "http://x.org/a%20b", "urn:q2b:x", "a:", "_:b", "%41"]
        ),
        st.text("'\"\\\n\t\r^#:/%<>?é\ud800", min_size=1, max_size=6),
    ),
    min_size=NUM_ENTITIES,
    max_size=NUM_ENTITIES,
    unique=True,
)


@given(st.one_of(tree_queries(), queries()), odd_names, odd_names)
def test_any_name_is_read_back(query, entities, relations):
    assume(not any(map(crosses, disjuncts(query))))
    graph = KnowledgeGraph(
        Vocabulary("entity", entities),
        Vocabulary("relation", relations[:NUM_RELATIONS]),
        {"train": np.empty((0, 3), np.int32)},
    )
    assert parse_formula(render(query, graph), graph) == query
    named = canonical(rename(query, lambda e: entities[e], lambda r: f"{'^' * (r & 1)}r{r >> 1}"))
    assert parse_formula(render(named)) == named


@settings(max_examples=30)
@given(tree_queries(), odd_names, odd_names)
def test_any_name_is_read_back_from_sparql(query, entities, relations):
    graph = KnowledgeGraph(
        Vocabulary("entity", entities),
        Vocabulary("relation", relations[:NUM_RELATIONS]),
        {"train": np.empty((0, 3), np.int32)},
    )
    assert parse_sparql(render_sparql(query, graph), graph) == query


CANADIANS = intersection(
    projection("win", Anchor("Turing Award")), projection("^citizen", Anchor("Canada"))
)


@pytest.mark.parametrize(
    "query, text",
    [
        (projection(2, Anchor(17)), "?t : #2(#17, ?t)"),
        (projection(3, Anchor(17)), "?t : #2(?t, #17)"),
        (
            projection("graduate", CANADIANS),
            "?t : citizen(?x, Canada) & win('Turing Award', ?x) & graduate(?x, ?t)",
        ),
        (projection("^graduate", projection("r", Anchor("A"))), "?t : r(A, ?x) & graduate(?t, ?x)"),
        (
            intersection(
                projection("r", Anchor("A")),
                union(projection("s", Anchor("A")), projection("^s", Anchor("B"))),
            ),
            "?t : r(A, ?t) & (s(A, ?t) | s(?t, B))",
        ),
        (
            union(CANADIANS, projection("r", Anchor("A"))),
            "?t : citizen(?t, Canada) & win('Turing Award', ?t) | r(A, ?t)",
        ),
        (
            intersection(
                projection("^r", Variable(1, CANADIANS)), projection("s", Variable(1, CANADIANS))
            ),
            "?t : citizen(?x, Canada) & win('Turing Award', ?x) & ^r(?x, ?t) & s(?x, ?t)",
        ),
        (projection("not", Anchor("not")), "?t : 'not'(not, ?t)"),
        (projection("r s", Anchor("it's")), "?t : 'r s'(\"it's\", ?t)"),
        (projection("r", Anchor("'\"\\\n")), "?t : r('\\'\"\\\\\\n', ?t)"),
    ],
)
def test_formulas_read_well(query, text):
    assert render(query) == text
    assert parse(text) == query


def test_variables_have_short_names():
    query: Query = Anchor("A")
    for _ in range(6):
        query = projection("r", query)
    assert render(query) == (
        "?t : r(A, ?x) & r(?x, ?y) & r(?y, ?z) & r(?z, ?x1) & r(?x1, ?y1) & r(?y1, ?t)"
    )


def test_sparql_reads_well():
    query = intersection(
        projection("http://x.org/born", Anchor("New York")),
        union(projection("^a", Anchor(17)), projection("b", projection("c", Anchor("^")))),
    )
    assert render_sparql(query) == (
        "SELECT DISTINCT ?t WHERE {\n"
        "  <urn:q2b:New%20York> <http://x.org/born> ?t .\n"
        "  {\n"
        "    ?t <urn:q2b:a> <urn:q2b:#17> .\n"
        "  } UNION {\n"
        "    <urn:q2b:%5E> <urn:q2b:c> ?x .\n"
        "    ?x <urn:q2b:b> ?t .\n"
        "  }\n"
        "}"
    )


def test_relations_that_begin_with_a_turn_go_by_id():
    graph = KnowledgeGraph(
        Vocabulary("entity", ["A"]),
        Vocabulary("relation", ["^up", "up"]),
        {"train": np.empty((0, 3), np.int32)},
    )
    assert render(projection(0, Anchor(0)), graph) == "?t : #0(A, ?t)"
    assert render(projection(2, Anchor(0)), graph) == "?t : up(A, ?t)"


@pytest.mark.parametrize("write", [render, render_sparql])
def test_a_constant_is_no_question(write):
    with pytest.raises(IllegalQueryError, match="the target 'A' is a constant"):
        write(Anchor("A"))


def test_the_authors_queries_are_read_back(shared_data):
    with gzip.open(shared_data / "FB15k-237" / "valid-queries.jsonl.gz", "rt") as lines:
        every_hundredth = [json.loads(line)["query"] for line in islice(lines, 0, None, 100)]
    for value in every_hundredth:
        query = from_json(value)
        assert parse_formula(render(query)) == query
    for value in every_hundredth[::20]:
        assert parse_sparql(render_sparql(from_json(value))) == from_json(value)
