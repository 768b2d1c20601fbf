"""Equal questions are equal values."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from query2box.query.nodes import (
    Anchor,
    Intersection,
    Projection,
    Query,
    Union,
    Variable,
    intersection,
    operands_of,
    projection,
    rename,
    shape,
    symbols,
    union,
    walk,
)
from query2box.query.variables import canonical
from strategies import queries, tree_queries


def rebuilt(query: Query, draw: st.DrawFn, number: dict[int, int]) -> Query:
    """The same query, made from operands in another order and grouping."""
    match query:
        case Anchor():
            return query
        case Projection(relation, operand):
            return projection(relation, rebuilt(operand, draw, number))
        case Variable(label, definition):
            return Variable(number[label], rebuilt(definition, draw, number))
        case _:
            make = intersection if isinstance(query, Intersection) else union
            operands = [rebuilt(q, draw, number) for q in draw(st.permutations(query.operands))]
            cut = draw(st.integers(1, len(operands)))
            twice = draw(st.sampled_from(operands))
            return make(make(*operands[:cut]), *operands[cut:], twice)


@given(queries(), st.data())
def test_order_grouping_repetition_and_labels_do_not_matter(query, data):
    number = dict(enumerate(data.draw(st.permutations(range(50, 90)))))
    assert canonical(rebuilt(query, data.draw, number)) == query


@given(st.lists(tree_queries(), min_size=1, max_size=4))
def test_operands_are_flat_sorted_and_unique(operands):
    for make, kind in ((intersection, Intersection), (union, Union)):
        made = make(*operands)
        if isinstance(made, kind):
            assert len(made.operands) > 1
            assert len(set(made.operands)) == len(made.operands)
            assert not any(isinstance(operand, kind) for operand in made.operands)
            assert make(*reversed(made.operands)) == made


def test_an_empty_intersection_is_a_programming_error():
    with pytest.raises(ValueError, match="at least one operand"):
        intersection()


def test_walk_visits_operands_first():
    query = projection("r", intersection(projection("p", Anchor("a")), projection("q", Anchor(1))))
    nodes = list(walk(query))
    assert nodes[-1] is query
    assert all(nodes.index(operand) < nodes.index(n) for n in nodes for operand in operands_of(n))
    assert list(symbols(query)) == [1, "q", "a", "p", "r"]
    assert shape(query) == "p(i(p(e),p(e)))"


def test_ids_come_before_names():
    query = union(
        projection("r", Anchor("b")), projection(3, Anchor("a")), projection(3, Anchor(9))
    )
    assert list(symbols(query)) == [9, 3, "a", 3, "b", "r"]


@given(queries())
def test_renaming_by_itself_changes_nothing(query):
    assert rename(query, lambda e: e, lambda r: r) == query


def test_renaming_may_make_operands_equal():
    query = intersection(projection("r", Anchor("a")), projection("s", Anchor("a")))
    assert rename(query, lambda e: 0, lambda r: 0) == projection(0, Anchor(0))
