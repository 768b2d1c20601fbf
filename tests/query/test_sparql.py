"""SPARQL: the part of it that is a question, and a refusal for each other part."""

from __future__ import annotations

import logging
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from query2box.errors import (
    IllegalQueryError,
    QueryError,
    QuerySyntaxError,
    UnknownNameError,
    UnsupportedQueryError,
)
from query2box.query.language import parse_formula, parse_question, parse_sparql
from query2box.query.nodes import Anchor, projection
from query2box.query.sparql import MAX_LENGTH, read_sparql
from strategies import make_graph


@pytest.mark.parametrize(
    "sparql, formula",
    [
        ("SELECT ?t WHERE { <A> <r> ?t }", "?t : r(A, ?t)"),
        ("select distinct $t { <A> <r> $t . }", "?t : r(A, ?t)"),
        ("SELECT ?t { ?t <r> <A> ; <s> <B>, <C> }", "?t : r(?t, A) & s(?t, B) & s(?t, C)"),
        ("SELECT ?t { <A> <r> ?x . ?x <s> ?t }", "?t : r(A, ?x) & s(?x, ?t)"),
        ("SELECT ?t { <A> <r> [ <s> ?t ] }", "?t : r(A, ?x) & s(?x, ?t)"),
        ("SELECT ?t { <A> <r> _:b . _:b <s> ?t }", "?t : r(A, ?x) & s(?x, ?t)"),
        ("SELECT ?t { { <A> <r> ?t } { <B> <s> ?t } }", "?t : r(A, ?t) & s(B, ?t)"),
        (
            "SELECT ?t { <C> <p> ?t . { <A> <r> ?t } UNION { <B> <s> ?t } UNION { <B> <q> ?t } }",
            "?t : p(C, ?t) & (r(A, ?t) | s(B, ?t) | q(B, ?t))",
        ),
        (
            "SELECT ?t { { <A> <r> ?x } UNION { <B> <s> ?x } ?x <p> ?t }",
            "?t : (r(A, ?x) | s(B, ?x)) & p(?x, ?t)",
        ),
        # Paths
        ("SELECT ?t { <A> <r>/<s>/<p> ?t }", "?t : r(A, ?x) & s(?x, ?y) & p(?y, ?t)"),
        ("SELECT ?t { <A> ^<r> ?t }", "?t : r(?t, A)"),
        ("SELECT ?t { <A> <r>|<s> ?t }", "?t : r(A, ?t) | s(A, ?t)"),
        ("SELECT ?t { <A> ^(<r>/^<s>) ?t }", "?t : s(A, ?x) & r(?t, ?x)"),
        ("SELECT ?t { <A> (<r>|^<s>)/<p> ?t }", "?t : (r(A, ?x) | s(?x, A)) & p(?x, ?t)"),
        (
            "SELECT ?t { <A> <r>/(<s>|<p>/<q>) ?t }",
            "?t : r(A, ?x) & (s(?x, ?t) | p(?x, ?y) & q(?y, ?t))",
        ),
        # Names
        ("SELECT ?t { <urn:q2b:New%20York> <urn:q2b:in> ?t }", "?t : in('New York', ?t)"),
        ("SELECT ?t { <New%20York> <%5Ein> ?t }", "?t : ^in('New York', ?t)"),
        ("SELECT ?t { <#17> <urn:q2b:#3> ?t }", "?t : #3(#17, ?t)"),
        (
            "SELECT ?t { <http://x.org/%41> <http://x.org/r> ?t }",
            "?t : 'http://x.org/r'('http://x.org/%41', ?t)",
        ),
        ("SELECT ?t { ?t <r> 'New York' }", "?t : r(?t, 'New York')"),
        (
            'SELECT ?t { ?t <r> "Zürich"@de, """say "hi\\"""", 42 }',
            "?t : r(?t, 'Zürich') & r(?t, 'say \"hi\"') & r(?t, 42)",
        ),
        (
            "PREFIX x: <http://x.org/> SELECT ?t { x:A x:r.s ?t }",
            "?t : 'http://x.org/r.s'('http://x.org/A', ?t)",
        ),
        ("PREFIX e: <urn:q2b:> PREFIX r: <urn:q2b:> SELECT ?t { e:A r:r ?t }", "?t : r(A, ?t)"),
        ("PREFIX : <urn:q2b:> SELECT ?t { :A\\,B :New%20York ?t }", "?t : 'New York'('A,B', ?t)"),
        ("PREFIX : <> SELECT ?t { :A :r ?t }", "?t : r(A, ?t)"),
        (
            "BASE <http://x.org/> PREFIX p: <p/> SELECT ?t { <A> p:r ?t }",
            "?t : 'http://x.org/p/r'('http://x.org/A', ?t)",
        ),
        ("SELECT ?t { ?t a <A> }", "?t : 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type'(?t, A)"),
        ("# who?\nSELECT ?t { # filter\n <A> <r#s> ?t }", "?t : 'r#s'(A, ?t)"),
        (
            "SELECT ?t { <FILTER> <optional> ?t . ?t <r> 'MINUS' }",
            "?t : optional(FILTER, ?t) & r(?t, MINUS)",
        ),
    ],
)
def test_sparql_and_formula_of_a_question_give_the_same_nodes(sparql, formula):
    assert parse_sparql(sparql) == parse_formula(formula)


def test_the_limit_and_the_target_are_kept():
    question = parse_question("SELECT ?city { <A> <r> ?city } LIMIT 7")
    assert (question.query, question.target, question.limit) == (
        projection("r", Anchor("A")),
        "city",
        7,
    )
    assert parse_question("SELECT ?t { <A> <r> ?t }").limit is None
    assert parse_question("SELECT ?t { <A> <r> ?t } LIMIT 0").limit == 0


def test_other_selected_variables_may_be_allowed():
    text = "SELECT ?t ?probability { <A> <r> ?t }"
    question = parse_question(text, also_selected={"probability"})
    assert (question.query, question.target) == (projection("r", Anchor("A")), "t")
    with pytest.raises(UnsupportedQueryError, match="selects one variable, not 2") as caught:
        parse_question(text)
    assert caught.value.position == text.index("?probability")
    with pytest.raises(UnsupportedQueryError, match="selects one variable, not 0"):
        parse_question("SELECT ?probability { <A> <r> ?t }", also_selected={"probability"})


@pytest.mark.parametrize(
    "text, message, at",
    [
        ("ASK { <A> <r> ?t }", "only SELECT can be asked, not ASK", "ASK"),
        ("CONSTRUCT { ?t <r> <A> } WHERE { <A> <r> ?t }", "not CONSTRUCT", "CONSTRUCT"),
        ("DESCRIBE ?t { <A> <r> ?t }", "not DESCRIBE", "DESCRIBE"),
        ("INSERT DATA { <A> <r> <B> }", "INSERT is an update", "INSERT"),
        ("DELETE WHERE { <A> <r> ?t }", "DELETE is an update", "DELETE"),
        ("PREFIX x: <y> CLEAR ALL", "CLEAR is an update", "CLEAR"),
        ("SELECT ?t { <A> <r> ?t FILTER(?t != <B>) }", "FILTER cannot be asked", "FILTER"),
        ("SELECT ?t { <A> <r> ?t filter not exists { ?t <r> <B> } }", "FILTER cannot be", "filter"),
        ("SELECT ?t { <A> <r> ?t OPTIONAL { ?t <s> ?x } }", "OPTIONAL cannot be asked", "OPTIONAL"),
        ("SELECT ?t { <A> <r> ?t MINUS { <B> <s> ?t } }", "MINUS is negation", "MINUS"),
        ("SELECT (COUNT(?t) AS ?n) { <A> <r> ?t }", "COUNT is an aggregate", "COUNT"),
        ("SELECT (?t AS ?n) { <A> <r> ?t }", "AS cannot be asked", "AS"),
        ("SELECT ?t { <A> <r> ?t } GROUP BY ?t", "GROUP is an aggregate", "GROUP"),
        ("SELECT ?t { <A> <r> ?t } HAVING (?t > 1)", "HAVING is an aggregate", "HAVING"),
        ("SELECT ?t { <A> <r> ?t } ORDER BY ?t", "ORDER BY cannot be asked", "ORDER"),
        ("SELECT ?t { <A> <r> ?t } LIMIT 3 OFFSET 2", "OFFSET cannot be asked", "OFFSET"),
        ("SELECT ?t { BIND(<A> AS ?x) ?x <r> ?t }", "BIND cannot be asked", "BIND"),
        ("SELECT ?t { VALUES ?x { <A> } ?x <r> ?t }", "VALUES cannot be asked", "VALUES"),
        ("SELECT ?t { GRAPH <g> { <A> <r> ?t } }", "GRAPH cannot be asked", "GRAPH"),
        ("SELECT ?t FROM <g> { <A> <r> ?t }", "FROM cannot be asked", "FROM"),
        ("SELECT ?t { SERVICE <g> { <A> <r> ?t } }", "SERVICE cannot be asked", "SERVICE"),
        (
            "SELECT ?t { { SELECT ?t { <A> <r> ?t } } }",
            "a SELECT within a SELECT",
            "SELECT ?t { <A>",
        ),
        ("SELECT * { <A> <r> ?t }", r"SELECT \* cannot be asked", "*"),
        ("SELECT DISTINCT * { <A> <r> ?t }", r"SELECT \* cannot be asked", "*"),
        ("SELECT ?t { <A> <r>* ?t }", r"the path operator '\*' cannot be asked", "*"),
        ("SELECT ?t { <A> <r>+ ?t }", r"the path operator '\+' cannot be asked", "+"),
        ("SELECT ?t { <A> <r>? ?t }", r"the path operator '\?' cannot be asked", "? ?t"),
        ("SELECT ?t { <A> !<r> ?t }", "'!' is negation", "!"),
        ("SELECT ?t { <A> !(<r>|^<s>) ?t }", "'!' is negation", "!"),
        ("SELECT ?t { <A> ?p ?t }", "a relation must be named", "?p"),
        ("SELECT ?t ?x { <A> <r> ?t . <A> <r> ?x }", "selects one variable, not 2", "?x"),
        ("SELECT ?t { ?t <r> '5'^^<int> }", "a literal with a datatype", "^^"),
    ],
)
def test_what_cannot_be_asked(text, message, at):
    with pytest.raises(UnsupportedQueryError, match=message) as caught:
        parse_question(text)
    assert (caught.value.position, caught.value.text) == (text.index(at), text)


@pytest.mark.parametrize(
    "text, message, position",
    [
        ("SELECT", "cannot be read as SPARQL", 6),
        ("SELECT ?t", "cannot be read as SPARQL", 9),
        ("SELECT ?t { <A> <r> }", "cannot be read as SPARQL", 12),
        ("SELECT\t?t {\t<A> <r> }", "cannot be read as SPARQL", 12),
        ("SELECT ?t { <A> <r> ?t", "cannot be read as SPARQL", 22),
        ("SELECT ?t { <A> <r> ?t } LIMIT -1", "cannot be read as SPARQL", 25),
        ("SELECT ?t { <A B> <r> ?t }", "cannot be read as SPARQL", 12),
        ("SELECT ?t { ?t <r> 'A }", "this quote is never closed", 19),
        ("SELECT ?t { x:A <r> ?t }", "the prefix 'x:' is not declared", 12),
        ("SELECT ?t { <A> :r ?t }", "the prefix ':' is not declared", 16),
        ("SELECT ?t { }", "a group has no pattern", 13),
        ("SELECT ?t { <A> <r> ?t . {} UNION { <A> <s> ?t } }", "a group has no pattern", 50),
        ("SELECT ?t { <> <r> ?t }", "a name cannot be empty", 12),
        ("SELECT ?t { ?t <r> '' }", "a name cannot be empty", 19),
        ("SELECT ?t { <A> <%5E> ?t }", "a name cannot be empty", 16),
        ("SELECT ?t { <%FF> <r> ?t }", "does not spell UTF-8", 12),
    ],
)
def test_syntax_errors_have_a_place(text, message, position):
    with pytest.raises(QuerySyntaxError, match=message) as caught:
        parse_sparql(text)
    assert caught.value.position == position


@pytest.mark.parametrize(
    "text, message, at",
    [
        ("SELECT ?t { ?x <r> ?t }", "no anchor", "<r>"),
        ("SELECT ?t { <A> <r> ?x }", r"the target \?t does not occur", "?t"),
        ("SELECT ?t { <A> <r> ?t . <B> <s> ?x }", r"\?x is not connected to \?t", "?x"),
        ("SELECT ?t { <A> <r> ?t . ?t <s> ?x }", r"no anchor leads to \?x", "?x"),
        ("SELECT ?t { <A> <r> ?t . ?t <s> [] }", r"no anchor leads to \?blank 1", "?t"),
        ("SELECT ?t { <A> <r> <B> . <A> <r> ?t }", "an atom without a variable", "<r>"),
    ],
)
def test_questions_without_a_computation_graph(text, message, at):
    with pytest.raises(IllegalQueryError, match=message) as caught:
        parse_sparql(text)
    assert caught.value.position == text.index(at)


GRAPH = make_graph([(0, 0, 1)])


@pytest.mark.parametrize(
    "text, at",
    [
        ("SELECT ?t { <e0> <r0> ?t . <nobody> <r0> ?t }", "<nobody>"),
        ("SELECT ?t { <e0> <none> ?t }", "<none>"),
        ("SELECT ?t { <e0> <r0> ?t . ?t <r0> 'nobody' }", "'nobody'"),
        ("PREFIX : <urn:q2b:> SELECT ?t { :e0 :none ?t }", ":none"),
        ("SELECT ?t { <#99> <r0> ?t }", "<#99>"),
        ("BASE <http://x.org/> SELECT ?t { <e0> <r0> ?t }", "<r0>"),
    ],
)
def test_unknown_names_have_a_place(text, at):
    with pytest.raises(UnknownNameError) as caught:
        parse_sparql(text, GRAPH)
    assert caught.value.position == text.index(at)


def test_names_are_looked_up():
    query = projection(1, Anchor(0))
    for text in (
        "SELECT ?t { ?t <r0> <e0> }",
        "SELECT ?t { ?t <urn:q2b:r0> 'e0' }",
        "SELECT ?t { <#0> <#1> ?t }",
    ):
        assert parse_sparql(text, GRAPH) == query


def test_an_iri_may_itself_be_a_name():
    from query2box.graph.knowledge_graph import KnowledgeGraph
    from query2box.graph.vocabulary import Vocabulary

    entities = ["New%20York", "http://x.org/A", "urn:q2b:B", "b"]
    graph = KnowledgeGraph(
        Vocabulary("entity", entities), Vocabulary("relation", ["r"]), {"train": []}
    )
    for entity, iri in enumerate(entities):
        assert parse_sparql(f"SELECT ?t {{ <{iri}> <r> ?t }}", graph) == projection(
            0, Anchor(entity)
        )


def test_rdflib_keeps_its_opinions_to_itself(caplog):
    with caplog.at_level(logging.DEBUG):
        parse_sparql("PREFIX : <a\u00a0b:> SELECT ?t { :x\\,y <r> ?t }")
    assert not caplog.records


HOSTILE = {
    "nested groups": "SELECT ?t " + "{" * 2000 + "<A> <r> ?t" + "}" * 2000,
    "nested paths": "SELECT ?t { <A> " + "(" * 2000 + "<r>" + ")" * 2000 + " ?t }",
    "nested nodes": "SELECT ?t { ?t <r> " + "[ <r> " * 1000 + "<A>" + "]" * 1000 + " }",
    "nested lists": "SELECT ?t { ?t <r> " + "(" * 2000 + ")" * 2000 + " }",
    "unclosed": "SELECT ?t " + "{" * 5000,
    "many patterns": "SELECT ?t {" + " .#\n".join(f"<a{i}> <p> ?t" for i in range(1000)) + "}",
    "many quotes": "SELECT ?t { ?t <r> " + "'''" * 5000 + " }",
    "many prefixes": "PREFIX a: <b> " * 1000 + "SELECT ?t { a:x a:r a:y }",
    "too long": "SELECT ?t { ?t <r> <A> }" + " " * MAX_LENGTH,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_texts_are_refused_soon(text):
    start = time.process_time()
    with pytest.raises(QueryError):
        parse_sparql(text)
    assert time.process_time() - start < 5


def test_long_unions_and_paths_are_fine():
    union = " UNION ".join(f"{{ <a{i}> <p> ?t }}" for i in range(200))
    assert len(parse_sparql(f"SELECT ?t {{ {union} }}").operands) == 200
    path = "/".join("<r>" for _ in range(60))
    parse_sparql(f"SELECT ?t {{ <A> {path} ?t }}")


pieces = st.sampled_from(
    [
        *("SELECT", "SELECT ?t {", "UNION", "LIMIT", "PREFIX", "FILTER", "a", "3", "\n", "#", '"'),
        *("?t", "?x", "<A>", "<r>", "'B'", "_:b", "@en", "p:", "p:q", "<A> <r> ?t", "<r>|^<s>"),
        *("{", "}", "[", "]", "(", ")", ".", ";", ",", "/", "^", "|", "*"),
    ]
)


@settings(max_examples=200)
@given(
    st.one_of(
        st.text(max_size=20).map("SELECT ?t {{{}}}".format),
        st.lists(pieces, max_size=20).map(" ".join),
    )
)
def test_any_text_is_read_or_refused(text):
    try:
        read_sparql(text)
    except QueryError as caught:
        error = caught
    else:
        return
    assert error.position is None or 0 <= error.position <= len(text)
