"""Sentences and their computation graphs mean the same, and every refusal says why."""

from __future__ import annotations

import time
from functools import reduce
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle import denote, satisfying
from query2box.errors import IllegalQueryError, QueryError, TooManyDisjunctsError
from query2box.query.compile import MAX_VARIABLES, computation_graph
from query2box.query.formula import read_formula
from query2box.query.nodes import Anchor, Query, Variable, intersection, projection, union, walk
from query2box.query.syntax import And, Atom, Name, Sentence, Var, atoms, inverse, variables
from query2box.query.variables import canonical
from sentences import conjunctions, rewritten, sentences, wild_sentences
from strategies import graphs


def compiled(sentence: Sentence) -> Query | type[QueryError]:
    try:
        return computation_graph(sentence)
    except (IllegalQueryError, TooManyDisjunctsError) as error:
        return type(error)


def ask(text: str) -> Query:
    return computation_graph(read_formula(text))


@given(sentences(), graphs())
def test_a_computation_graph_means_what_its_sentence_says(sentence, graph):
    query = compiled(sentence)
    if not isinstance(query, type):
        assert denote(query, graph) == satisfying(sentence.formula, sentence.target, graph)


@given(conjunctions(), graphs())
def test_every_way_from_anchors_to_the_target_is_legal(formula, graph):
    query = computation_graph(Sentence(Var("t"), formula))
    assert denote(query, graph) == satisfying(formula, "t", graph)


@given(wild_sentences(), graphs())
def test_refused_is_what_has_no_order(sentence, graph):
    query = compiled(sentence)
    assert (query is not IllegalQueryError) == has_order(sentence)
    if query is not IllegalQueryError:
        assert denote(query, graph) == satisfying(sentence.formula, sentence.target, graph)


def has_order(sentence: Sentence) -> bool:
    """Try all orders: each variable needs a way in, and each but the target a way out."""
    ends = [(atom.subject, atom.object) for atom in atoms(sentence.formula)]
    if sentence.target.name not in variables(sentence.formula) or any(a == b for a, b in ends):
        return False
    bound = [Var(name) for name in variables(sentence.formula) if name != sentence.target.name]

    def fits(order: list[Var]) -> bool:
        rank = {v: i for i, v in enumerate(order)}
        for v in order:
            others = [b if a == v else a for a, b in ends if v in (a, b)]
            if all(isinstance(o, Var) and rank[o] > rank[v] for o in others):
                return False
            if v != order[-1] and all(isinstance(o, Name) or rank[o] < rank[v] for o in others):
                return False
        return True

    return any(fits([*order, sentence.target]) for order in permutations(bound))


@given(st.one_of(sentences(), wild_sentences()), st.data())
def test_the_order_of_parts_and_the_names_of_variables_do_not_matter(sentence, data):
    assert compiled(data.draw(rewritten(sentence))) == compiled(sentence)


@given(conjunctions(), st.data())
def test_atoms_may_point_either_way_where_nothing_is_shared(formula, data):
    query = computation_graph(Sentence(Var("t"), formula))
    if any(isinstance(node, Variable) for node in walk(query)):
        return
    turned = [
        Atom(Name(inverse(a.relation.symbol)), a.object, a.subject)
        if data.draw(st.booleans())
        else a
        for a in atoms(formula)
    ]
    assert computation_graph(Sentence(Var("t"), And(tuple(turned)))) == query


A = projection("a", Anchor("A"))
B = projection("b", Anchor("B"))


@pytest.mark.parametrize(
    "text, query",
    [
        ("?t : a(A, ?t)", A),
        ("?t : a(?t, A)", projection("^a", Anchor("A"))),
        ("?t : ^a(?t, A)", A),
        ("?t : a(A, ?x) & r(?x, ?t)", projection("r", A)),
        ("?t : r(?t, ?x) & a(A, ?x)", projection("^r", A)),
        ("?t : a(A, ?t) & b(B, ?t) & a(A, ?t)", intersection(A, B)),
        ("?t : a(A, ?t) | b(B, ?t)", union(A, B)),
        ("?t : (a(A, ?x) | b(B, ?x)) & r(?x, ?t)", projection("r", union(A, B))),
        # A variable of one branch is not that of another.
        (
            "?t : r(?x, ?t) & a(A, ?x) | s(?x, ?t) & b(B, ?x)",
            union(projection("r", A), projection("s", B)),
        ),
        # Between two variables either relation will do: what hangs on them moves inside.
        (
            "?t : (r(?x, ?t) | s(?x, ?t)) & a(A, ?x) & b(B, ?t)",
            intersection(B, union(projection("r", A), projection("s", A))),
        ),
        # Shared variables
        (
            "?t : a(A, ?x) & r(?x, ?t) & s(?x, ?t)",
            intersection(projection("r", Variable(1, A)), projection("s", Variable(1, A))),
        ),
        (
            "?t : a(A, ?x) & r(?x, ?t) & (s(?x, ?t) | b(B, ?t))",
            union(
                intersection(projection("r", Variable(1, A)), projection("s", Variable(1, A))),
                intersection(projection("r", A), B),
            ),
        ),
        # A triangle: x leads to y and to the target.
        (
            "?t : a(A, ?x) & r(?x, ?y) & s(?y, ?t) & p(?x, ?t)",
            intersection(
                projection("s", projection("r", Variable(1, A))), projection("p", Variable(1, A))
            ),
        ),
        # Both x and y are anchored: the written direction between them is kept.
        (
            "?t : a(A, ?x) & b(B, ?y) & q(?y, ?x) & r(?x, ?t) & s(?y, ?t)",
            intersection(
                projection("r", intersection(A, projection("q", Variable(1, B)))),
                projection("s", Variable(1, B)),
            ),
        ),
    ],
)
def test_examples(text, query):
    assert ask(text) == canonical(query)


@pytest.mark.parametrize(
    "text, message, position",
    [
        ("?t : r(?x, ?t)", "the question has no anchor", 5),
        ("?t : r(?x, ?y)", r"the target \?t does not occur in the formula", 0),
        ("?t : a(A, ?x)", r"the target \?t does not occur in the formula", 0),
        ("?t : a(A, B) & b(B, ?t)", "an atom without a variable asks nothing", 5),
        ("?t : a(A, ?t) & r(?t, ?t)", r"the variable \?t forms a cycle with itself", 16),
        ("?t : a(A, ?t) & b(B, ?y)", r"the variable \?y is not connected to \?t", 21),
        ("?t : a(A, ?t) & (b(B, ?y) | b(C, ?y))", r"\?y is not connected to \?t", 22),
        ("?t : a(A, ?t) & r(?t, ?y)", r"no anchor leads to \?y; every variable must lie", 22),
        ("?t : a(A, ?t) & r(?x, ?t) & s(?y, ?x)", r"no anchor leads to \?x and \?y;", 18),
        ("?t : a(A, ?t) & (r(?x, ?t) | b(B, ?t))", r"no anchor leads to \?x;", 19),
        (
            "?t : a(A, ?t) & r(?x, ?t) & s(?x, ?y) & p(?y, ?t)",
            r"the variables \?x, \?y and \?t form a cycle;",
            18,
        ),
        (
            "?t : a(A, ?x) & r(?x, ?t) & p(?x, ?y) & q(?y, ?z) & s(?z, ?x)",
            r"the variables \?y, \?z and \?x form a cycle;",
            34,
        ),
        ("?t : a(A, ?t) | b(B, ?y)", r"one side of '\|' says nothing about \?t", 16),
        ("?t : r(?x, ?t) & (a(A, ?x) | b(B, ?y))", r"one side of '\|' says nothing about \?x", 29),
    ],
)
def test_refusals_say_why_and_where(text, message, position):
    with pytest.raises(IllegalQueryError, match=message) as caught:
        ask(text)
    assert (caught.value.position, caught.value.text) == (position, text)


def test_too_many_combinations_are_refused_with_their_count():
    choices = " & ".join(f"(r{i}(?x, ?t) | s{i}(?x, ?t))" for i in range(7))
    with pytest.raises(TooManyDisjunctsError, match="128 disjuncts") as caught:
        ask(f"?t : a(A, ?x) & b(B, ?t) & p(?x, ?t) & {choices}")
    assert caught.value.position == 0
    many = " | ".join(f"r{i}(?x, ?t)" for i in range(65))
    with pytest.raises(TooManyDisjunctsError, match="65 disjuncts"):
        ask(f"?t : a(A, ?x) & ({many})")


def chain(length: int) -> str:
    return "?t : a(A, ?x0) & " + " & ".join(
        [*(f"r(?x{i}, ?x{i + 1})" for i in range(length)), f"r(?x{length}, ?t)"]
    )


HOSTILE = {
    "long": (chain(100), "nested over 64 deep"),
    "wide": (
        "?t : " + " & ".join(f"a(A{i}, ?x{i}) & r(?t, ?x{i})" for i in range(MAX_VARIABLES)),
        "more than 128 variables",
    ),
    "doubling": (
        "?t : a(A, ?x0) & "
        + " & ".join(f"r(?x{i}, ?x{i + 1}) & s(?x{i}, ?x{i + 1})" for i in range(40))
        + " & r(?x40, ?t)",
        "more than 4,096 nodes",
    ),
    "many alternatives": ("?t : " + " | ".join(f"a(A{i}, ?t)" for i in range(4000)), "4,096 nodes"),
    "shared": (
        "?t : " + " & ".join(f"a(A, ?x{i}) & r(?x{i}, ?t) & s(?x{i}, ?t)" for i in range(20)),
        "more than 16 shared variables",
    ),
    # Each level is built 32 times by the one above, and all branches are equal in the end.
    "multiplied": (
        "?t : z(Z, ?t) & "
        + "".join(
            "".join(f"(r{k}(?x{i}, ?t) | ^r{k}(?t, ?x{i})) & " for k in range(5))
            + f"a(A, ?x{i}) & s(?x{i}, ?t) & (q(Q, ?t) | "
            for i in range(8)
        )
        + "a(A, ?t)"
        + ")" * 8,
        "4,096 nodes",
    ),
}


@pytest.mark.parametrize("text, message", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_questions_are_refused_soon(text, message):
    start = time.process_time()
    with pytest.raises(QueryError, match=message):
        ask(text)
    assert time.process_time() - start < 5


def test_as_long_as_allowed():
    assert ask(chain(61)) == reduce(lambda q, _: projection("r", q), range(62), A)
