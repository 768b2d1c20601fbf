"""Shared variables: how far a label reaches, and which number it gets.

Branches of a union exclude each other. So equal labels are the same variable
within a branch and beside the union, but not across branches.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from itertools import count
from typing import Any, NamedTuple

from query2box.errors import IllegalQueryError
from query2box.query.legality import MAX_SHARED, check_size
from query2box.query.nodes import (
    Anchor,
    Query,
    Union,
    Variable,
    operands_of,
    rebuild,
    sort_key,
    union,
    walk,
)


def canonical(query: Query) -> Query:
    """The query with variables of one use written out, and the others numbered from 1.

    Which number a variable gets depends on its place in the query alone, so
    equal questions carry equal labels. The branches of a union on top are
    questions of their own, each numbered from 1.
    """
    if not any(isinstance(node, Variable) for node in walk(query)):
        return query
    check_size(query)
    query = _written_out(_renamed_apart(query))
    if isinstance(query, Union):
        return union(*map(canonical, query.operands))
    return _numbered(query)


# How far a label reaches


class Scope(NamedTuple):
    """What a query binds: variables used outside of its unions or, entangled, in several."""

    definitions: dict[int, Query]
    entangled: set[int]
    unions: list[Union]


def scope(query: Query, known: Mapping[int, Query]) -> Scope:
    """The scope of a query, of which the `known` variables are bound already."""
    found = Scope({}, set(), [])
    pending = [query]
    while pending:
        node = pending.pop()
        if isinstance(node, Union):
            found.unions.append(node)
        elif not isinstance(node, Variable):
            pending += operands_of(node)
        elif bound := found.definitions.get(node.label) or known.get(node.label):
            if node.definition != bound:
                raise IllegalQueryError(f"the variable {node.label} has two definitions")
        else:
            found.definitions[node.label] = node.definition
            pending.append(node.definition)
        if not pending:
            for variable in _joint(found.unions, known.keys() | found.definitions.keys()):
                found.definitions[variable.label] = variable.definition
                found.entangled.add(variable.label)
                pending.append(variable.definition)
    return found


def is_entangled(query: Query, known: Mapping[int, Query] | None = None) -> bool:
    """Whether somewhere a variable's uses all lie in unions, and in several of them."""
    found = scope(query, known or {})
    known = {**(known or {}), **found.definitions}
    return bool(found.entangled) or any(
        is_entangled(branch, known) for node in found.unions for branch in node.operands
    )


def _joint(unions: list[Union], bound: AbstractSet[int]) -> list[Variable]:
    """The outermost variables that several unions use."""
    uses = [{v.label: v for v in _variables(node, bound)} for node in unions]
    times = Counter(label for used in uses for label in used)
    joint = {label for label, n in times.items() if n > 1}
    outermost = (v for node in unions for v in _variables(node, bound, joint))
    return list({v.label: v for v in outermost if v.label in joint}.values())


def _variables(
    query: Query, bound: AbstractSet[int], closed: AbstractSet[int] = frozenset()
) -> Iterator[Variable]:
    """The variables of a query that are not bound; closed ones are not looked into."""
    if isinstance(query, Variable):
        if query.label in bound:
            return
        yield query
        if query.label in closed:
            return
    for operand in operands_of(query):
        yield from _variables(operand, bound, closed)


def _renamed_apart(query: Query) -> Query:
    """The query with another label for each variable."""
    fresh = count(1)
    renamed: dict[int, Query] = {}

    def visit(query: Query, outer: dict[int, Query], numbers: dict[int, int]) -> Query:
        definitions = scope(query, outer).definitions
        known = {**outer, **definitions}
        numbers = {**numbers, **{label: next(fresh) for label in definitions}}

        def inner(node: Query) -> Query:
            if isinstance(node, Union):
                return union(*(visit(branch, known, numbers) for branch in node.operands))
            if not isinstance(node, Variable):
                return rebuild(node, inner)
            number = numbers[node.label]
            if number not in renamed:
                renamed[number] = inner(node.definition)
            return Variable(number, renamed[number])

        return inner(query)

    return visit(query, {}, {})


# Which variables are shared


def _written_out(query: Query) -> Query:
    """The query without variables of one use."""
    while True:
        uses = _uses(query)
        shorter = _inlined(query, {label for label, n in uses.items() if n < 2})
        if shorter == query:
            return query
        # Operands that have become equal are one, and their variables lose a use.
        query = shorter


def _uses(query: Query) -> Counter[int]:
    """How many edges leave each variable, of which one answer may need several.

    Branches of a union exclude each other, so a variable with one use in each
    is not shared. The inside of a definition counts once.
    """
    total: Counter[int] = Counter()
    definitions: dict[int, Query] = {}
    pending = [query]
    while pending:
        found, inner = _open_uses(pending.pop())
        total += found
        pending += (inner[label] for label in inner.keys() - definitions.keys())
        definitions |= inner
    return total


def _open_uses(query: Query) -> tuple[Counter[int], dict[int, Query]]:
    """Uses outside of definitions, and the definitions met on the way."""
    if isinstance(query, Variable):
        return Counter({query.label: 1}), {query.label: query.definition}
    uses: Counter[int] = Counter()
    definitions: dict[int, Query] = {}
    for operand in operands_of(query):
        found, inner = _open_uses(operand)
        uses = uses | found if isinstance(query, Union) else uses + found
        definitions |= inner
    return uses, definitions


def _inlined(query: Query, labels: set[int]) -> Query:
    if isinstance(query, Variable):
        definition = _inlined(query.definition, labels)
        # A constant is one value wherever it stands, and so is a renamed variable.
        if query.label in labels or isinstance(definition, Anchor | Variable):
            return definition
        return Variable(query.label, definition)
    return rebuild(query, lambda operand: _inlined(operand, labels))


# Which number a variable gets


def _numbered(query: Query) -> Query:
    """The query with its variables numbered by place.

    Places are compared by how definitions look from them: first by shape alone,
    so that queries of one shape have one skeleton, then by what is named. Where
    two stay alike, one of them is singled out and the comparison repeated.
    """
    definitions = {v.label: v.definition for v in _variables(query, frozenset())}
    if len(definitions) > MAX_SHARED:
        raise IllegalQueryError(f"the question has more than {MAX_SHARED} shared variables")
    labels = sorted(definitions)
    flat = {label: _flat(definition) for label, definition in definitions.items()}
    flat[_ROOT] = _flat(query)
    ranks = dict.fromkeys(labels, 0)
    while True:
        ranks = _refined(flat, _refined(flat, ranks, _outline), _details)
        tied = [label for label in labels if list(ranks.values()).count(ranks[label]) > 1]
        if not tied:
            return _relabelled(query, {label: rank + 1 for label, rank in ranks.items()})
        first = min(tied, key=lambda label: ranks[label])
        ranks = {label: 2 * rank + (label != first) for label, rank in ranks.items()}


_ROOT = 0
_HERE = -1


def _flat(query: Query) -> Query:
    """The query with the definitions of its variables left out."""
    if isinstance(query, Variable):
        return Variable(query.label, Anchor(0))
    return rebuild(query, _flat)


def _refined(
    flat: Mapping[int, Query],
    ranks: dict[int, int],
    look: Callable[[Query, Mapping[int, int]], Any],
) -> dict[int, int]:
    """Tell variables apart by how definitions look from each, until that tells no more."""
    users = {
        label: [user for user, query in flat.items() if label in _labels(query)] for label in ranks
    }

    def view(label: int) -> tuple[Any, ...]:
        from_here = {**ranks, label: _HERE}
        used = sorted((ranks.get(u, _HERE), look(flat[u], from_here)) for u in users[label])
        return ranks[label], look(flat[label], ranks), tuple(used)

    while True:
        views = {label: view(label) for label in ranks}
        order = sorted(set(views.values()))
        refined = {label: order.index(view) for label, view in views.items()}
        if len(order) == len(set(ranks.values())):
            return refined
        ranks = refined


def _labels(query: Query) -> set[int]:
    return {v.label for v in _variables(query, frozenset())}


def _outline(query: Query, labels: Mapping[int, int]) -> str:
    """The shape of a flat query."""
    if isinstance(query, Variable):
        return f"v{labels[query.label]}"
    inner = sorted(_outline(operand, labels) for operand in operands_of(query))
    return f"{type(query).__name__}({','.join(inner)})"


def _details(query: Query, labels: Mapping[int, int]) -> tuple[object, ...]:
    """The shape and the symbols of a flat query."""
    return sort_key(_relabelled(query, labels))


def _relabelled(query: Query, labels: Mapping[int, int]) -> Query:
    if isinstance(query, Variable):
        return Variable(labels[query.label], _relabelled(query.definition, labels))
    return rebuild(query, lambda operand: _relabelled(operand, labels))
