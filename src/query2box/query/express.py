"""From a computation graph back to a sentence that asks it."""

from __future__ import annotations

from itertools import count

from query2box.query.dnf import to_dnf
from query2box.query.legality import check_legal
from query2box.query.nodes import (
    Anchor,
    Intersection,
    Projection,
    Query,
    Symbol,
    Union,
    Variable,
    walk,
)
from query2box.query.syntax import (
    And,
    Atom,
    Formula,
    Name,
    Or,
    Sentence,
    Term,
    Var,
    atoms,
    inverse,
    is_inverse,
)
from query2box.query.variables import canonical, is_entangled, scope

TARGET = "t"


def sentence_of(query: Query) -> Sentence:
    """The sentence whose computation graph is the query.

    Where a shared variable is used inside and outside of a union, or in several
    unions, the sentence's graph equals the query in disjunctive normal form.
    """
    query = canonical(query)
    check_legal(query)
    if is_entangled(query):
        query = to_dnf(query)
    shared = any(isinstance(node, Variable) for node in walk(query))
    formula = _Speaker(keep_directions=shared).conjunction(query, Var(TARGET), {}, {})
    return Sentence(Var(TARGET), _with_readable_names(formula))


class _Speaker:
    def __init__(self, keep_directions: bool) -> None:
        self.keep_directions = keep_directions
        self.fresh = (Var(str(number)) for number in count())

    def conjunction(
        self, query: Query, var: Var, known: dict[int, Query], names: dict[int, Var]
    ) -> Formula:
        """What says that `var` is an answer; shared variables are defined at their first use."""
        definitions = scope(query, known).definitions
        known = {**known, **definitions}
        names = {**names, **{label: next(self.fresh) for label in definitions}}
        unsaid = set(definitions)
        parts: list[Formula] = []

        def say(node: Query, var: Var) -> None:
            match node:
                case Intersection(operands):
                    for operand in operands:
                        say(operand, var)
                case Union(operands):
                    parts.append(
                        Or(tuple(self.conjunction(q, var, known, names) for q in operands))
                    )
                case Projection(relation, Anchor(entity)):
                    parts.append(self.atom(relation, Name(entity), var))
                case Projection(relation, Variable(label, definition)):
                    if label in unsaid:
                        unsaid.remove(label)
                        say(definition, names[label])
                    parts.append(self.atom(relation, names[label], var))
                case Projection(relation, operand):
                    bound = next(self.fresh)
                    say(operand, bound)
                    parts.append(self.atom(relation, bound, var))

        say(query, var)
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def atom(self, relation: Symbol, subject: Term, object: Var) -> Atom:  # noqa: A002
        """An atom that reads along the stored edges, unless its direction says something."""
        if is_inverse(relation) and not (self.keep_directions and isinstance(subject, Var)):
            return Atom(Name(inverse(relation)), object, subject)
        return Atom(Name(relation), subject, object)


def _with_readable_names(formula: Formula) -> Formula:
    """The formula with variables named x, y, z, x1, ... in the order of its text."""
    names = {TARGET: TARGET}
    for atom in atoms(formula):
        for term in (atom.subject, atom.object):
            if isinstance(term, Var) and term.name not in names:
                letter, number = "xyz"[(len(names) - 1) % 3], (len(names) - 1) // 3
                names[term.name] = f"{letter}{number or ''}"

    def named(term: Term) -> Term:
        return Var(names[term.name]) if isinstance(term, Var) else term

    def visit(part: Formula) -> Formula:
        match part:
            case Atom(relation, subject, object):
                return Atom(relation, named(subject), named(object))
            case And(parts):
                return And(tuple(map(visit, parts)))
            case Or(parts):
                return Or(tuple(map(visit, parts)))

    return visit(formula)
