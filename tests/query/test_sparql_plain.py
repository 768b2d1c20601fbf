"""Plain SPARQL says what rdflib says it says; what is not plain is left to rdflib."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from query2box.errors import QueryError
from query2box.query.compile import computation_graph
from query2box.query.nodes import Query
from query2box.query.render import render_sparql
from query2box.query.sparql import read_any
from query2box.query.sparql_plain import MAX_DEPTH, read_plain
from query2box.query.sparql_words import words
from query2box.query.syntax import Sentence
from strategies import queries

ALSO = ("probability",)


def plain(text: str) -> Sentence | None:
    return read_plain(text, words(text), ALSO)


def meaning(sentence: Sentence) -> Query | str:
    """What is asked, or why it cannot be."""
    try:
        return computation_graph(sentence)
    except QueryError as error:
        return type(error).__name__


def check(text: str) -> bool:
    """Compare the two readers; whether the text is plain."""
    try:
        found = plain(text)
    except QueryError as error:
        with pytest.raises(type(error)):
            read_any(text, words(text), ALSO)
        return True
    if found is None:
        return False
    other = read_any(text, words(text), ALSO)
    assert meaning(found) == meaning(other)
    assert found.target == other.target
    assert (found.limit, found.selected) == (other.limit, other.selected)
    return True


@given(queries())
def test_what_we_write_is_plain(query: Query) -> None:
    assert plain(render_sparql(query)) is not None


@settings(max_examples=40)
@given(queries())
def test_what_we_write_is_read_alike(query: Query) -> None:
    check(render_sparql(query))


@pytest.mark.parametrize(
    "text",
    [
        "SELECT ?t { <A> <r> ?t }",
        "select distinct $t { <A> <r> $t . } LIMIT 3",
        "SELECT ?probability ?t ?t WHERE { <A> <r> ?t }",
        "SELECT ?t { ?t <r> <A> ; <s> <B>, <C> ;; . <A> <r> ?t . }",
        "SELECT ?t { ?t <r> <A> ; { <B> <s> ?t } . { <C> <s> ?t } ?t <p> <D> }",
        "SELECT ?t { ?t <r>/^<s>|(<p>/<q>) <A>, <B> }",
        "SELECT ?t { { <A> <r> ?x } UNION { { <B> <s> ?x } UNION { <C> <s> ?x } } ?x <p> ?t }",
        "PREFIX : <urn:q2b:> PREFIX a-b: <http://x.org/> SELECT ?t { :A a-b:r_1 ?t }",
        "SELECT ?t { ?t <r> 'it', \"quoted 'so'\" }",
        "SELECT ?t { ?t <r#s> <#1> }",
        "SELECT ?t { ?t <%5Er> <%FF> }",
        "SELECT ?t { ?t <r> '' }",
    ],
)
def test_plain_texts(text: str) -> None:
    assert check(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "SELECT ?t",
        "SELECT ?t { }",
        "SELECT ?t ?x { <A> <r> ?t, ?x }",
        "SELECT ?t { <A> <r> ?t <B> <r> ?t }",
        "SELECT ?t { <A> <r> ?t } LIMIT -1",
        "SELECT ?t { <A> <r> ?t } LIMIT 1.5",
        "SELECT ?t { <A> <r> ?t } LIMIT 1 LIMIT 2",
        "SELECT ?t { <A> <r> ?t # a comment\n }",
        "SELECT ?t { <A> <r> [ <s> ?t ] }",
        "SELECT ?t { ?t a <A> }",
        "SELECT ?t { ?t <r> 'A'@en }",
        "SELECT ?t { ?t <r> '''A''' }",
        "SELECT ?t { ?t <r> 'A\\u0041' }",
        "SELECT ?t { ?t <r> 'Zürich' }",
        "SELECT ?t { ?t <r> 5 }",
        "SELECT ?t { x:A <r> ?t }",
        "PREFIX x: <y:> SELECT ?t { x:a.b <r> ?t }",
        "BASE <y:> SELECT ?t { <a> <r> ?t }",
        "SELECT ?t { <A> ?p ?t }",
        "SELECT ?t { <A> <r> ?t . ?probability <r> ?t }",
        "SELECT ?t {\x0b<A> <r> ?t }",
        "SELECT ?t " + "{" * (MAX_DEPTH + 1) + "<A> <r> ?t" + "}" * (MAX_DEPTH + 1),
        "SELECT ?t { <A> " + "(" * MAX_DEPTH + "<r>" + ")" * MAX_DEPTH + " ?t }",
    ],
)
def test_texts_that_are_not_plain(text: str) -> None:
    assert plain(text) is None


pieces = st.sampled_from(
    [
        *("<A>", "<r>", "?t", "?x", "'B'", "p:q", "3", "<A> <r> ?t", "?x <r> ?t .", "<r>|^<s>"),
        *("{", "}", "(", ")", ".", ";", ",", "/", "^", "|", "UNION", "{ <B> <r> ?t }", "''", "'"),
    ]
)


@settings(max_examples=300)
@given(st.lists(pieces, max_size=12).map(" ".join), st.sampled_from(["", " LIMIT 2", " LIMIT"]))
def test_any_text_is_read_alike(inside: str, end: str) -> None:
    text = f"PREFIX p: <p:> SELECT ?t {{ <A> <r> ?t . {inside} }}{end}"
    try:
        words(text)
    except QueryError:
        return
    check(text)
