"""Random sentences by id over the graphs of `strategies`, most of them legal."""

from __future__ import annotations

from hypothesis import strategies as st

from query2box.query.syntax import And, Atom, Formula, Name, Or, Sentence, Term, Var
from strategies import NUM_ENTITIES, NUM_RELATIONS

TARGET = Var("t")


@st.composite
def conjunctions(draw: st.DrawFn) -> Formula:
    """A legal conjunction: a way from anchors over up to three variables to the target.

    Its atoms point either way and stand in any order.
    """
    bound = draw(st.lists(st.sampled_from([Var("x"), Var("y"), Var("z")]), max_size=3, unique=True))
    order = [*bound, TARGET]
    entity = st.integers(0, NUM_ENTITIES - 1).map(Name)
    steps: list[tuple[Term, Var]] = []
    for place, variable in enumerate(order):
        sources = st.one_of(entity, st.sampled_from(order[:place])) if place else entity
        steps += ((source, variable) for source in draw(st.lists(sources, min_size=1, max_size=2)))
        if variable != TARGET:
            steps.append((variable, draw(st.sampled_from(order[place + 1 :]))))
    atoms = [draw(_atoms(start, end)) for start, end in draw(st.permutations(steps))]
    return And(tuple(atoms)) if len(atoms) > 1 else atoms[0]


@st.composite
def _atoms(draw: st.DrawFn, start: Term, end: Term) -> Atom:
    relation = Name(draw(st.integers(0, 2 * NUM_RELATIONS - 1)))
    return Atom(relation, start, end) if draw(st.booleans()) else Atom(relation, end, start)


def sentences() -> st.SearchStrategy[Sentence]:
    """Legal conjunctions joined by "and" and "or"; their variables may meet in illegal ways."""

    def join(inner: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
        parts = st.lists(inner, min_size=2, max_size=3).map(tuple)
        return st.one_of(parts.map(And), parts.map(Or))

    formulas = st.recursive(conjunctions(), join, max_leaves=4)
    return formulas.map(lambda formula: Sentence(TARGET, formula))


@st.composite
def wild_sentences(draw: st.DrawFn) -> Sentence:
    """Conjunctions of a few atoms between any terms; many of them are illegal."""
    variable = st.sampled_from([TARGET, Var("x"), Var("y"), Var("z"), Var("w")])
    entity = st.integers(0, NUM_ENTITIES - 1).map(Name)
    atoms = st.tuples(st.one_of(entity, variable, variable, variable), variable).flatmap(
        lambda ends: _atoms(*ends)
    )
    parts = draw(st.lists(atoms, min_size=1, max_size=7))
    return Sentence(TARGET, And(tuple(parts)))


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
