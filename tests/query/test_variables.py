"""Which labels are the same variable, and which number each gets."""

from __future__ import annotations

import pytest
from hypothesis import given

from oracle import denote
from query2box.errors import IllegalQueryError
from query2box.query.dnf import to_dnf
from query2box.query.legality import MAX_SHARED
from query2box.query.nodes import (
    Anchor,
    Query,
    Variable,
    intersection,
    projection,
    union,
    walk,
)
from query2box.query.variables import canonical, is_entangled
from strategies import graphs, queries


def v(label: int, definition: Query | None = None) -> Variable:
    return Variable(label, definition or projection("a", Anchor("A")))


def both(variable: Query, one: str = "r", other: str = "s") -> Query:
    """A question that uses a variable twice."""
    return intersection(projection(one, variable), projection(other, variable))


def labels(query: Query) -> list[int]:
    return sorted({node.label for node in walk(query) if isinstance(node, Variable)})


@given(queries(), graphs())
def test_canonical_form_is_stable_and_means_the_same(query, graph):
    assert canonical(query) == query
    moved = Variable(99, query)
    assert canonical(moved) == query
    assert denote(moved, graph) == denote(query, graph)


def test_numbers_count_from_one():
    assert canonical(both(v(7))) == both(v(1))


def test_a_variable_of_one_use_is_written_out():
    query = projection("r", v(7))
    assert canonical(query) == projection("r", projection("a", Anchor("A")))


def test_a_constant_is_not_shared():
    assert canonical(both(Variable(3, Anchor("A")))) == both(Anchor("A"))


def test_a_definition_that_is_a_variable_is_that_variable():
    assert canonical(both(Variable(3, v(4)))) == both(v(1))


def test_uses_that_become_equal_count_once():
    shared = v(5)
    path = projection("p", shared)
    query = intersection(projection("r", Variable(1, path)), projection("r", Variable(2, path)))
    assert labels(canonical(query)) == []


def test_branches_of_a_union_do_not_share():
    query = union(projection("r", v(1)), projection("s", v(1)))
    assert labels(canonical(query)) == []
    nested = projection("p", union(both(v(1)), both(v(1), "p", "q")))
    apart = projection("p", union(both(v(1)), both(v(2), "p", "q")))
    assert canonical(nested) == canonical(apart)
    assert labels(canonical(nested)) == [1, 2]


def test_branches_on_top_are_numbered_each_from_one():
    query = union(both(v(4)), both(v(9, projection("b", Anchor("B"))), "p", "q"))
    assert labels(canonical(query)) == [1]
    assert canonical(canonical(query)) == canonical(query)


def test_a_variable_beside_a_union_is_the_same_inside():
    inside = union(projection("r", v(1)), projection("p", Anchor("B")))
    query = canonical(intersection(inside, projection("s", v(1))))
    assert labels(query) == [1]
    assert not is_entangled(query)


def test_variables_of_several_unions_are_entangled():
    one = union(projection("r", v(1)), projection("p", Anchor("B")))
    other = union(projection("s", v(1)), projection("q", Anchor("B")))
    query = canonical(intersection(one, other))
    assert labels(query) == [1]
    assert is_entangled(query)
    assert is_entangled(projection("z", query))
    assert not is_entangled(to_dnf(query))


def test_the_same_label_in_a_definitions_own_union_is_apart():
    # The union inside the definition is one union, however often it is written.
    inner = union(both(v(2)), both(v(2, projection("b", Anchor("B"))), "p", "q"))
    outer = v(1, inner)
    one = union(projection("r", outer), projection("p", Anchor("B")))
    other = union(projection("s", outer), projection("q", Anchor("B")))
    assert labels(canonical(intersection(one, other))) == [1, 2, 3]


@pytest.mark.parametrize(
    "query",
    [
        intersection(projection("r", v(1)), projection("s", v(1, projection("b", Anchor("B"))))),
        both(Variable(1, projection("p", v(1)))),
    ],
)
def test_two_definitions_of_one_variable_are_refused(query):
    with pytest.raises(IllegalQueryError, match="the variable 1 has two definitions"):
        canonical(query)


def test_numbers_go_by_shape_before_names():
    """Queries of one shape have one skeleton, whatever they name."""

    def query(short: str, long: str) -> Query:
        one = v(1, projection(short, Anchor("A")))
        other = v(2, projection(long, Anchor("A")))
        deep = projection("p", projection("q", other))
        return canonical(intersection(both(one), deep, projection("r", other)))

    for names in (("a", "b"), ("b", "a")):
        (deep,) = (
            node.operand
            for node in walk(query(*names))
            if isinstance(node, type(projection(0, Anchor(0)))) and node.relation == "q"
        )
        assert deep.label == 1


def test_too_many_shared_variables_are_refused_at_once():
    def query(count: int) -> Query:
        return intersection(*(both(v(i, projection("a", Anchor(i)))) for i in range(count)))

    assert len(labels(canonical(query(MAX_SHARED)))) == MAX_SHARED
    with pytest.raises(IllegalQueryError, match="more than 16 shared variables"):
        canonical(query(MAX_SHARED + 1))


def test_a_huge_query_is_refused_at_once():
    query: Query = projection("a", Anchor("A"))
    for label in range(11):
        query = both(Variable(label, query))
    with pytest.raises(IllegalQueryError, match="more than 4,096 nodes"):
        canonical(query)
