"""Random sentences by id over the graphs of `strategies`, most of them legal."""

from __future__ import annotations

from hypothesis import strategies as st

from query2box.query.syntax import And, Atom, Formula, Name, Or, Sentence, Term, Var
from strategies import NUM_ENTITIES, NUM_RELATIONS

TARGET = Var("t")
BOUND = (Var("x"), Var("y"), Var("z"))

_entities = st.integers(0, NUM_ENTITIES - 1).map(Name)
_relations = st.integers(0, 2 * NUM_RELATIONS - 1).map(Name)
_orders = st.lists(st.sampled_from(BOUND), max_size=3, unique=True)
_sources = st.lists(st.tuples(st.integers(0, 7), _entities), min_size=1, max_size=2)
_writings = st.tuples(_relations, st.booleans())


@st.composite
def conjunctions(draw: st.DrawFn) -> Formula:
    """A legal conjunction: a way from anchors over up to three variables to the target.

    Its atoms point either way and stand in any order.
    """
    order = [*draw(_orders), TARGET]
    steps: list[tuple[Term, Var]] = []
    for place, variable in enumerate(order):
        for number, entity in draw(_sources):
            steps.append((order[number] if number < place else entity, variable))
        if variable != TARGET:
            steps.append((variable, order[draw(st.integers(place + 1, len(order) - 1))]))
    atoms = [_atom(*step, *draw(_writings)) for step in draw(st.permutations(steps))]
    return And(tuple(atoms)) if len(atoms) > 1 else atoms[0]


def _atom(start: Term, end: Term, relation: Name, turned: bool) -> Atom:
    return Atom(relation, end, start) if turned else Atom(relation, start, end)


def sentences() -> st.SearchStrategy[Sentence]:
    """Legal conjunctions joined by "and" and "or"; their variables may meet in illegal ways."""

    def join(inner: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
        parts = st.lists(inner, min_size=2, max_size=3).map(tuple)
        return st.one_of(parts.map(And), parts.map(Or))

    formulas = st.recursive(conjunctions(), join, max_leaves=4)
    return formulas.map(lambda formula: Sentence(TARGET, formula))


def wild_sentences() -> st.SearchStrategy[Sentence]:
    """Conjunctions of a few atoms between any terms; many of them are illegal."""
    variables = st.sampled_from([TARGET, *BOUND, Var("w")])
    starts = st.one_of(_entities, variables, variables, variables)
    atoms = st.builds(_atom, starts, variables, _relations, st.booleans())
    formulas = st.lists(atoms, min_size=1, max_size=7).map(tuple).map(And)
    return formulas.map(lambda formula: Sentence(TARGET, formula))


@st.composite
def rewritten(draw: st.DrawFn, sentence: Sentence) -> Sentence:
    """The same sentence with its parts in another order and its variables renamed."""
    names = dict(zip("txyzw", draw(st.permutations("abcde")), strict=True))

    def term(term: Term) -> Term:
        return Var(names[term.name]) if isinstance(term, Var) else term

    def visit(formula: Formula) -> Formula:
        match formula:
            case Atom(relation, subject, object):
                return Atom(relation, term(subject), term(object))
            case And(parts):
                return And(tuple(map(visit, draw(st.permutations(parts)))))
            case Or(parts):
                return Or(tuple(map(visit, draw(st.permutations(parts)))))

    return Sentence(Var(names["t"]), visit(sentence.formula))
