"""The formula language: what it reads, and where it complains."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from query2box.errors import (
    IllegalQueryError,
    QueryError,
    QuerySyntaxError,
    UnsupportedQueryError,
)
from query2box.query.formula import MAX_LENGTH, MAX_PARENTHESES, read_formula
from query2box.query.syntax import And, Atom, Name, Or, Sentence, Var, atoms, place, variables


def atom(relation, subject, object):  # noqa: A002
    def term(value):
        is_variable = isinstance(value, str) and value.startswith("?")
        return Var(value[1:]) if is_variable else Name(value)

    return Atom(Name(relation), term(subject), term(object))


def test_the_papers_question():
    text = "?u : win('Turing Award', ?p) & citizen(Canada, ?p) & graduate(?p, ?u)"
    sentence = read_formula(text)
    assert sentence == Sentence(
        Var("u"),
        And(
            (
                atom("win", "Turing Award", "?p"),
                atom("citizen", "Canada", "?p"),
                atom("graduate", "?p", "?u"),
            )
        ),
    )
    for found in atoms(sentence.formula):
        for part in (found.relation, found.subject, found.object):
            word = part.name if isinstance(part, Var) else part.symbol
            assert text[part.position :].lstrip("?'").startswith(word)


def test_and_binds_tighter_than_or():
    a, b, c = (atom(name, "A", "?x") for name in "abc")
    assert read_formula("?x : a(A,?x) | b(A,?x) & c(A,?x)").formula == Or((a, And((b, c))))
    assert read_formula("?x : (a(A,?x) | b(A,?x)) & c(A,?x)").formula == And((Or((a, b)), c))


@pytest.mark.parametrize(
    "text, relation, entity",
    [
        ("?x : r(A, ?x)", "r", "A"),
        ("  ?x:r(A,?x)\n", "r", "A"),
        ("?x : ^r(A, ?x)", "^r", "A"),
        ("?x : '^r'(A, ?x)", "^r", "A"),
        ("?x : ^'r s'(A, ?x)", "^r s", "A"),
        ("?x : ^'^r'(A, ?x)", "r", "A"),
        ("?x : '^^r'(A, ?x)", "r", "A"),
        ("?x : #3(#17, ?x)", 3, 17),
        ("?x : ^#3(#17, ?x)", 2, 17),
        ("?x : '#3'('#17', ?x)", "#3", "#17"),
        (
            "?x : /people/born('/m/0 2', ?x)".replace("/people/born", "'/people/born'"),
            "/people/born",
            "/m/0 2",
        ),
        ("?x : r('New York', ?x)", "r", "New York"),
        ('?x : r("Côte d\'Ivoire", ?x)', "r", "Côte d'Ivoire"),
        (r"?x : r('Côte d\'Ivoire', ?x)", "r", "Côte d'Ivoire"),
        (r"?x : r('a\\b\n\t\"', ?x)", "r", 'a\\b\n\t"'),
        ("?x : r('two\nlines', ?x)", "r", "two\nlines"),
        ("?x : größe(Österreich, ?x)", "größe", "Österreich"),
        ("?x : r(日本, ?x)", "r", "日本"),
        ("?x : _1(1999, ?x)", "_1", "1999"),
        ("?x : 'not'(not, ?x)", "not", "not"),
        ("?x : r('?x', ?x)", "r", "?x"),
    ],
)
def test_names(text, relation, entity):
    found = read_formula(text).formula
    assert (found.relation.symbol, found.subject.symbol) == (relation, entity)


def test_the_signs_of_logic():
    ascii_only = read_formula("?x : a(A,?x) & (b(B,?x) | c(C,?x))")
    assert read_formula("?x : a(A,?x) \u2227 (b(B,?x) \u2228 c(C,?x))") == ascii_only


def test_variables_and_places():
    formula = read_formula("?x : r(?y, ?x) & (s(A, ?y) | t(?z, ?y))").formula
    assert [(v.name, v.position) for v in variables(formula).values()] == [
        ("y", 7),
        ("x", 11),
        ("z", 31),
    ]
    assert place(formula) == 5


@pytest.mark.parametrize(
    "text, expected, position",
    [
        ("", "expected the target variable and a colon, e.g. '\\?x :', but the question ends", 0),
        ("   ", "expected the target variable", 3),
        ("win(A, ?x)", "expected the target variable", 0),
        ("?x", "expected ':', but the question ends here", 2),
        ("?x win(A, ?x)", "expected ':', but 'win' stands here", 3),
        ("?x :", "expected a relation", 4),
        ("?x : &", "expected a relation, .*, but '&' stands here", 5),
        ("?x : r", "expected '\\('", 6),
        ("?x : r(", "expected an entity or a variable", 7),
        ("?x : r()", "expected an entity or a variable, but '\\)' stands here", 7),
        ("?x : r(A", "expected ','", 8),
        ("?x : r(A, ?x", "expected '\\)'", 12),
        ("?x : r(A, ?x, B)", "expected '\\)', but ',' stands here", 12),
        ("?x : r(A B, ?x)", "expected ',', but 'B' stands here", 9),
        ("?x : (r(A, ?x)", "expected '&', '\\|' or '\\)', but the question ends", 14),
        ("?x : r(A, ?x))", "expected '&', '\\|' or the end, but '\\)' stands here", 13),
        ("?x : r(A, ?x) s(B, ?x)", "expected '&', '\\|' or the end, but 's' stands here", 14),
        ("?x : r(A, ?x) &", "expected a relation", 15),
        ("?x : r('A, ?x)", "this quote is never closed", 7),
        ("?x : r(?, ?x)", "a variable is '\\?' and a word", 7),
        ("?x : #r(A, ?x)", "an id is '#' and a number", 5),
        ("?x : #" + "9" * 30 + "(A, ?x)", "an id is '#' and a number", 5),
        ("?x : r-s(A, ?x)", "'-' cannot stand here; names with such characters stand in quotes", 6),
        ("?x : r('a\\q', ?x)", "'\\\\q' means nothing", 9),
        ("?x : r('', ?x)", "a name cannot be empty", 7),
        ("?x : ''(A, ?x)", "a name cannot be empty", 5),
        ("?x : '^'(A, ?x)", "a name cannot be empty", 5),
        ("?x : ∃(A, ?x)", "'∃' cannot stand here", 5),
    ],
)
def test_syntax_errors_say_what_was_expected_and_where(text, expected, position):
    with pytest.raises(QuerySyntaxError, match=expected) as caught:
        read_formula(text)
    assert (caught.value.position, caught.value.text) == (position, text)


@pytest.mark.parametrize(
    "negated", ["!r(A, ?x)", "~r(A, ?x)", "¬r(A, ?x)", "not r(A, ?x)", "NOT (r(A, ?x))"]
)
def test_negation_is_refused(negated):
    with pytest.raises(UnsupportedQueryError, match="negation cannot be asked") as caught:
        read_formula(f"?x : s(B, ?x) & {negated}")
    assert caught.value.position == 16
    assert caught.value.pointer() == f"?x : s(B, ?x) & {negated}\n{' ' * 16}^"


@pytest.mark.parametrize("target", ["Canada", "'New York'", "#17"])
def test_a_constant_target_is_refused(target):
    with pytest.raises(IllegalQueryError, match="is a constant; it must be a variable") as caught:
        read_formula(f" {target} : r(A, ?x)")
    assert caught.value.position == 1


def test_a_variable_relation_is_refused():
    with pytest.raises(UnsupportedQueryError, match="a relation must be named") as caught:
        read_formula("?x : ?r(A, ?x)")
    assert caught.value.position == 5


def test_length_and_depth_are_bounded():
    inner = "r(A, ?x)"
    deepest = "(" * MAX_PARENTHESES + inner + ")" * MAX_PARENTHESES
    assert read_formula(f"?x : {deepest}") == read_formula(f"?x : {inner}")
    with pytest.raises(QuerySyntaxError, match="nested over 64 deep") as caught:
        read_formula(f"?x : ({deepest})")
    assert caught.value.position == 5 + MAX_PARENTHESES
    with pytest.raises(QuerySyntaxError, match="at most 65,536 characters"):
        read_formula("?x : " + " " * MAX_LENGTH)


pieces = st.sampled_from(
    [
        "?x",
        "?",
        "r",
        "'a b'",
        "'",
        '"',
        "\\",
        "#1",
        "#",
        "(",
        ")",
        ",",
        ":",
        "&",
        "|",
        "^",
        "!",
        "not",
        " ",
        "é",
        "\n",
        "?x : ",
        "r(a, ?x)",
    ]
)


@given(st.one_of(st.text(), st.lists(pieces).map("".join)))
@example("?x : r(a, ?x)\x00")
@example("?x : r(\ud800, ?x)")
def test_any_text_is_read_or_refused(text):
    try:
        read_formula(text)
    except QueryError as caught:
        error = caught
    else:
        return
    assert error.text == text
    assert 0 <= error.position <= len(text)
