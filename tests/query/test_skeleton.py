"""Skeletons: what is left of a query without its names."""

from __future__ import annotations

import pytest
from hypothesis import given

from query2box.errors import IllegalQueryError, QuerySyntaxError
from query2box.query.compile import computation_graph
from query2box.query.dnf import MAX_DISJUNCTS, count_disjuncts, to_dnf
from query2box.query.nodes import Anchor, intersection, projection, shape
from query2box.query.skeleton import (
    STRUCTURES,
    TRAINING_STRUCTURES,
    instantiate,
    parse_shape,
    skeleton_of,
    slot_counts,
    structure,
    structure_name,
)
from sentences import sentences
from strategies import queries


@given(queries())
def test_a_skeleton_filled_with_its_symbols_is_the_query(query):
    skeleton, entities, relations = skeleton_of(query)
    assert instantiate(skeleton, entities, relations) == query
    assert slot_counts(skeleton) == (len(entities), len(relations))


@given(queries())
def test_queries_of_one_shape_have_one_skeleton(query):
    assert parse_shape(shape(query)) == skeleton_of(query)[0]


@given(sentences())
def test_so_have_queries_with_many_shared_variables(sentence):
    try:
        query = computation_graph(sentence)
    except IllegalQueryError:
        return
    assert parse_shape(shape(query)) == skeleton_of(query)[0]
    if count_disjuncts(query) <= MAX_DISJUNCTS:
        skeleton, entities, relations = skeleton_of(to_dnf(query))
        assert instantiate(skeleton, entities, relations) == to_dnf(query)


def test_the_papers_structures():
    assert {name: shape(skeleton) for name, skeleton in STRUCTURES.items()} == {
        "1p": "p(e)",
        "2p": "p(p(e))",
        "3p": "p(p(p(e)))",
        "2i": "i(p(e),p(e))",
        "3i": "i(p(e),p(e),p(e))",
        "ip": "p(i(p(e),p(e)))",
        "pi": "i(p(e),p(p(e)))",
        "2u": "u(p(e),p(e))",
        "up": "p(u(p(e),p(e)))",
    }
    assert set(TRAINING_STRUCTURES) < set(STRUCTURES)
    for name, skeleton in STRUCTURES.items():
        assert structure(name) == skeleton == structure(shape(skeleton))
        assert structure_name(skeleton) == name


def test_a_shape_without_a_name_is_its_own():
    query = intersection(
        projection("r", Anchor("a")), projection("s", projection("t", Anchor("a")))
    )
    assert structure_name(query) == "pi"
    assert structure_name(projection("r", query)) == "p(i(p(e),p(p(e))))"


def test_labels_and_spaces_of_a_shape_do_not_matter():
    text = " i ( p(v7(p(e))) , p(v7(p(e))) ) "
    assert parse_shape(text) == parse_shape("i(p(v1(p(e))),p(v1(p(e))))")
    assert slot_counts(parse_shape(text)) == (1, 3)


@pytest.mark.parametrize(
    "text, message, position",
    [
        ("", "a shape is made of", 0),
        ("q(e)", "a shape is made of", 0),
        ("p(e", "a shape is made of", 3),
        ("p(e))", "the shape ends before this", 4),
        ("p e", r"expected \( here", 1),
        ("i(p(e) p(e))", "expected , or", 6),
        ("i(p(e),)", "'\\)' cannot stand here", 7),
        ("p(e,e)", "'p' takes one operand", 0),
        ("p(" * 100, "nested over 64 deep", 128),
        ("p(v99999999999(e))", "a shape is made of", 12),
        (" " * 20_000, "at most 16,384 characters", None),
    ],
)
def test_not_a_shape(text, message, position):
    with pytest.raises(QuerySyntaxError, match=message) as caught:
        structure(text)
    assert caught.value.position == position


@pytest.mark.parametrize(
    "text, message",
    [
        ("e", "constant"),
        ("i(e,p(e))", "constant"),
        ("i(p(v1(p(e))),p(v1(p(p(e)))))", "two definitions"),
        ("i(v1(p(e)),p(v1(p(e))))", "not below a projection"),
    ],
)
def test_a_shape_of_no_question(text, message):
    with pytest.raises(IllegalQueryError, match=message):
        parse_shape(text)
