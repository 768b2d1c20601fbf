"""Names and ids, in place of each other."""

from __future__ import annotations

import pytest
from hypothesis import given

from query2box.errors import UnknownNameError
from query2box.query.names import bind, unbind
from query2box.query.nodes import Anchor, projection
from strategies import make_graph, queries

GRAPH = make_graph([])


@given(queries())
def test_names_lead_back_to_ids(query):
    named = unbind(query, GRAPH)
    assert bind(named, GRAPH) == query
    assert unbind(named, GRAPH) == named
    assert bind(query, GRAPH) == query


def test_names():
    assert unbind(projection(3, Anchor(2)), GRAPH) == projection("^r1", Anchor("e2"))


@pytest.mark.parametrize(
    "query, kind, name",
    [
        (projection("r0", Anchor("nobody")), "entity", "nobody"),
        (projection("r0", Anchor(99)), "entity", "#99"),
        (projection("none", Anchor(0)), "relation", "none"),
        (projection("^none", Anchor(0)), "relation", "none"),
        (projection(99, Anchor(0)), "relation", "#49"),
    ],
)
def test_what_is_not_there(query, kind, name):
    with pytest.raises(UnknownNameError) as caught:
        bind(query, GRAPH)
    assert (caught.value.kind, caught.value.name) == (kind, name)
