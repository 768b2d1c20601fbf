"""Disjunctive normal form: same answers, unions last, no more of them than the paper's N."""

from __future__ import annotations

from math import prod

import pytest
from hypothesis import assume, given

from oracle import denote
from query2box.errors import TooManyDisjunctsError
from query2box.query.dnf import MAX_DISJUNCTS, count_disjuncts, disjuncts, is_dnf, to_dnf
from query2box.query.nodes import (
    Anchor,
    Query,
    Union,
    Variable,
    intersection,
    projection,
    union,
    walk,
)
from query2box.query.variables import canonical
from strategies import graphs, queries, tree_queries


@given(queries(), graphs())
def test_the_disjuncts_answers_are_the_querys(query, graph):
    assume(count_disjuncts(query) <= MAX_DISJUNCTS)
    normal = to_dnf(query)
    assert set().union(*(denote(d, graph) for d in disjuncts(normal))) == denote(query, graph)


@given(queries())
def test_normal_form_is_normal_and_stable(query):
    assume(count_disjuncts(query) <= MAX_DISJUNCTS)
    normal = to_dnf(query)
    assert is_dnf(normal)
    assert to_dnf(normal) == normal == canonical(normal)
    assert 1 <= len(disjuncts(normal)) <= count_disjuncts(query)


@given(tree_queries())
def test_there_are_at_most_as_many_disjuncts_as_the_paper_says(query):
    """N is the product, over union nodes, of the number of their parents (section 3.3)."""
    unions = [node for node in walk(query) if isinstance(node, Union)]
    assert count_disjuncts(query) <= prod(len(node.operands) for node in unions)


def leaf(name: str) -> Query:
    return projection("r", Anchor(name))


def choice(name: str) -> Query:
    return union(leaf(name + "1"), leaf(name + "2"))


@pytest.mark.parametrize(
    "query, count",
    [
        (leaf("a"), 1),
        (choice("a"), 2),
        (projection("p", choice("a")), 2),
        (intersection(choice("a"), choice("b"), leaf("c")), 4),
        (intersection(projection("p", choice("a")), projection("p", choice("b"))), 4),
        (union(projection("p", choice("a")), leaf("b")), 3),
        # Shared: the variable picks once for both uses.
        (
            intersection(
                projection("p", Variable(1, choice("a"))), projection("q", Variable(1, choice("a")))
            ),
            2,
        ),
        # Not shared: both unions pick.
        (intersection(projection("p", choice("a")), projection("q", choice("a"))), 4),
    ],
)
def test_how_many_disjuncts(query, count):
    assert count_disjuncts(query) == count
    assert len(disjuncts(to_dnf(query))) == count


def test_equal_disjuncts_are_one():
    query = intersection(
        projection("p", choice("a")), projection("p", union(choice("a"), leaf("c")))
    )
    assert count_disjuncts(query) == 6
    assert len(disjuncts(to_dnf(query))) == 5


def test_too_many_are_refused_with_their_count():
    query = intersection(*(projection(i, choice(str(i))) for i in range(7)))
    with pytest.raises(TooManyDisjunctsError, match=r"128 disjuncts .* at most 64") as caught:
        to_dnf(query)
    assert (caught.value.count, caught.value.limit) == (128, MAX_DISJUNCTS)
    assert len(disjuncts(to_dnf(query, limit=128))) == 128


def test_a_count_is_found_without_expanding():
    query = intersection(*(projection(i, choice(str(i))) for i in range(100)))
    assert count_disjuncts(query) == 2**100
