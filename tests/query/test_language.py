"""Two languages, told apart by how they begin."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import query2box.query
from query2box.errors import (
    AmbiguousNameError,
    IllegalQueryError,
    QueryError,
    QuerySyntaxError,
    UnknownNameError,
    UnsupportedQueryError,
)
from query2box.graph.knowledge_graph import KnowledgeGraph
from query2box.graph.vocabulary import Vocabulary
from query2box.query.language import is_sparql, parse, parse_question
from query2box.query.nodes import Anchor, intersection, projection

GRAPH = KnowledgeGraph(
    Vocabulary("entity", ["fr", "de", "paris_fr", "paris_us"]),
    Vocabulary("relation", ["borders", "city in"]),
    {"train": np.empty((0, 3), np.int32)},
    labels={0: "France", 1: "Germany", 2: "Paris", 3: "Paris"},
)


@pytest.mark.parametrize(
    "text",
    [
        "?c : borders(fr, ?c)",
        "SELECT ?c { <fr> <borders> ?c }",
        "# who?\nselect ?c { <fr> <borders> ?c }",
    ],
)
def test_both_languages(text):
    assert parse(text) == projection("borders", Anchor("fr"))
    assert parse(text, GRAPH) == projection(0, Anchor(0))
    assert parse_question(text).target == "c"


@pytest.mark.parametrize(
    "text, sparql",
    [
        ("?x : r(A, ?x)", False),
        ("  ?select : r(A, ?select)", False),
        ("#17 : r(A, ?x)", False),
        ("", False),
        ("win(A, ?x)", False),
        ("selected : r(A, ?x)", False),
        ("#comment", True),
        ("#1 comment", True),
        ("\n prefix a: <b> select", True),
        ("SELECT?x{}", True),
        ("BASE <a>", True),
        ("Ask {}", True),
        ("DELETE DATA {}", True),
    ],
)
def test_which_language(text, sparql):
    assert is_sparql(text) == sparql


def test_labels_stand_for_entities():
    text = "?c : borders(France, ?c) & 'city in'(?c, Germany)"
    assert parse(text, GRAPH) == intersection(projection(0, Anchor(0)), projection(3, Anchor(1)))


@pytest.mark.parametrize(
    "text, kind, name, at",
    [
        ("?c : borders(Frence, ?c)", "entity", "Frence", "Frence"),
        ("?c : borders(fr, ?c) & ^boarders(?c, de)", "relation", "boarders", "^boarders"),
        ("?c : borders(#99, ?c)", "entity", "#99", "#99"),
        ("?c : #98(fr, ?c)", "relation", "#49", "#98"),
    ],
)
def test_unknown_names_have_a_place_and_near_names(text, kind, name, at):
    with pytest.raises(UnknownNameError) as caught:
        parse(text, GRAPH)
    error = caught.value
    assert (error.kind, error.name, error.text) == (kind, name, text)
    assert error.position == text.index(at)
    if name == "Frence":
        assert error.suggestions[0] == "France"
    if name == "boarders":
        assert error.suggestions[0] == "borders"


def test_an_ambiguous_label_is_refused_with_its_candidates():
    text = "?c : 'city in'(Paris, ?c)"
    with pytest.raises(AmbiguousNameError, match="'paris_fr' or 'paris_us'") as caught:
        parse(text, GRAPH)
    assert caught.value.position == text.index("Paris")


@pytest.mark.parametrize(
    "text, error",
    [
        ("borders", QuerySyntaxError),
        ("France : borders(fr, ?c)", IllegalQueryError),
        ("#17 : borders(fr, ?c)", IllegalQueryError),
        ("?c : !borders(fr, ?c)", UnsupportedQueryError),
        ("ASK { <a> <b> <c> }", UnsupportedQueryError),
    ],
)
def test_refusals(text, error):
    with pytest.raises(error):
        parse(text)


@given(st.text())
def test_any_text_is_read_or_refused(text):
    with suppress(QueryError):
        parse(text, GRAPH)


def test_public_names_are_sorted_and_exist():
    names = query2box.query.__all__
    assert names == sorted(names, key=lambda n: (not n.isupper(), not n[0].isupper(), n))
    assert all(hasattr(query2box.query, name) for name in names)


def test_importing_the_package_loads_nothing_heavy():
    heavy = {"numpy", "rdflib", "pyparsing", "rapidfuzz", "numba", "torch"}
    code = f"import sys, query2box.query; print(*{heavy!r} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
