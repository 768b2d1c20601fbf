"""What every question must keep to."""

from __future__ import annotations

import pytest
from hypothesis import given

from query2box.errors import IllegalQueryError
from query2box.query.legality import MAX_DEPTH, MAX_NODES, check_legal, check_size, measure
from query2box.query.nodes import Anchor, Query, Union, intersection, projection, shape, walk
from strategies import queries


@given(queries())
def test_sizes(query):
    nodes, depth = measure(query)
    assert nodes == sum(1 for _ in walk(query))
    text = shape(query)
    open_parentheses = [text[:i].count("(") - text[:i].count(")") for i in range(len(text))]
    assert depth == 1 + max(open_parentheses)


@given(queries())
def test_random_queries_are_legal(query):
    check_legal(query)


def test_bounds():
    deep: Query = Anchor(0)
    for _ in range(MAX_DEPTH - 1):
        deep = projection(0, deep)
    check_size(deep)
    with pytest.raises(IllegalQueryError, match="nested over 64 deep"):
        check_size(projection(0, deep))
    wide = Union(tuple(projection(0, Anchor(i)) for i in range(MAX_NODES // 2)))
    with pytest.raises(IllegalQueryError, match="more than 4,096 nodes"):
        check_size(wide)


def test_constants_stay_below_projections():
    with pytest.raises(IllegalQueryError, match="the target 'A' is a constant"):
        check_legal(projection("r", intersection(Anchor("A"), projection("r", Anchor("B")))))
