"""Queries as JSON and back."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from query2box.errors import IllegalQueryError, QueryError, QuerySyntaxError
from query2box.query.codec import from_json, to_json
from query2box.query.dnf import MAX_DISJUNCTS, count_disjuncts, to_dnf
from query2box.query.legality import MAX_DEPTH, MAX_NODES
from query2box.query.nodes import Anchor, intersection, projection
from strategies import queries


@given(queries())
def test_json_round_trip(query):
    assert from_json(json.loads(json.dumps(to_json(query)))) == query


@given(queries())
def test_json_round_trip_of_normal_forms(query):
    assume(count_disjuncts(query) <= MAX_DISJUNCTS)
    assert from_json(to_json(to_dnf(query))) == to_dnf(query)


def test_the_form_of_query_files():
    query = from_json(["p", "^born", ["i", ["p", "in", ["e", "France"]], ["p", 3, ["e", 17]]]])
    parts = projection(3, Anchor(17)), projection("in", Anchor("France"))
    assert query == projection("^born", intersection(*parts))


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 9)
    | st.floats()
    | st.sampled_from("epiuv")
    | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=2), inner, max_size=2)
    ),
    max_leaves=12,
)


@given(json_values)
def test_anything_else_is_refused(value):
    with suppress(QueryError):
        query = from_json(value)
        assert from_json(to_json(query)) == query


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {"query": 1},
        ["x", 1],
        ["e"],
        ["p", "r"],
        ["p", "r", ["e", 1], ["e", 2]],
        ["i"],
        ["p", "r", ["e", -1]],
        ["p", "r", ["e", True]],
        ["p", "r", ["e", 1.5]],
        ["p", "r", ["e", ""]],
        ["p", "", ["e", 1]],
        ["p", "r", ["v", True, ["p", "r", ["e", 1]]]],
    ],
)
def test_not_a_query(value):
    with pytest.raises(QuerySyntaxError, match=r"a query is|is a name or an id"):
        from_json(value)


def test_a_long_value_is_shown_in_short():
    with pytest.raises(QuerySyntaxError) as caught:
        from_json([["deep"] * 10_000] * 10_000)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    "value", [["e", 5], ["i", ["e", 5], ["p", "r", ["e", 1]]], ["v", 1, ["e", 5]]]
)
def test_a_target_that_is_a_constant(value):
    with pytest.raises(IllegalQueryError, match="the target 5 is a constant"):
        from_json(value)


def test_a_variable_that_would_lead_to_itself():
    variable = ["v", 1, ["p", "r", ["e", 1]]]
    with pytest.raises(IllegalQueryError, match="shared variable 1 is not below a projection"):
        from_json(["i", variable, ["p", "s", variable]])


def test_two_definitions():
    one, other = (["p", "r", ["v", 1, ["p", "r", ["e", entity]]]] for entity in (1, 2))
    with pytest.raises(IllegalQueryError, match="two definitions"):
        from_json(["i", one, other])


def test_size_is_bounded():
    deep: list = ["e", 1]
    for _ in range(MAX_DEPTH - 1):
        deep = ["p", 0, deep]
    assert to_json(from_json(deep)) == deep
    with pytest.raises(IllegalQueryError, match="nested over 64 deep"):
        from_json(["p", 0, deep])
    with pytest.raises(IllegalQueryError, match="more than 4,096 nodes"):
        from_json(["u", *(["p", 0, ["e", i]] for i in range(MAX_NODES // 2))])
