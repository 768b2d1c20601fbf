"""Disjunctive normal form: unions moved to the last step (Query2box, section 3.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain

from query2box.errors import TooManyDisjunctsError
from query2box.query.nodes import (
    Anchor,
    Intersection,
    Projection,
    Query,
    Union,
    Variable,
    intersection,
    projection,
    union,
    walk,
)
from query2box.query.variables import canonical

MAX_DISJUNCTS = 64


def is_dnf(query: Query) -> bool:
    """Whether the query is conjunctive, or a union of conjunctive queries."""
    return all(
        not isinstance(node, Union) for disjunct in disjuncts(query) for node in walk(disjunct)
    )


def disjuncts(query: Query) -> tuple[Query, ...]:
    """The operands of a union on top, or the query alone."""
    return query.operands if isinstance(query, Union) else (query,)


def to_dnf(query: Query, limit: int = MAX_DISJUNCTS) -> Query:
    """An equal query in which unions stand in the last step only.

    Each union node picks one parent, in all ways; a shared variable picks once
    for all its uses. More than `limit` ways are refused with their count.

    Deviation: a union below a parent that was not picked has nothing to choose,
    so we never make the duplicates that the paper's N, a product over all
    union nodes, counts for nested unions.
    """
    count = count_disjuncts(query)
    if count > limit:
        raise TooManyDisjunctsError(count, limit)
    return union(*(canonical(conjunctive) for conjunctive, _ in _choices(query, {})))


_Chosen = dict[int, Query]
"""What each shared variable has been rewritten to."""


def _choices(query: Query, chosen: _Chosen) -> Iterator[tuple[Query, _Chosen]]:
    match query:
        case Anchor():
            yield query, chosen
        case Projection(relation, operand):
            for inner, after in _choices(operand, chosen):
                yield projection(relation, inner), after
        case Union(operands):
            yield from chain.from_iterable(_choices(operand, chosen) for operand in operands)
        case Intersection(operands):
            for parts, after in _joint_choices(operands, chosen):
                yield intersection(*parts), after
        case Variable(label, definition):
            if label in chosen:
                yield chosen[label], chosen
                return
            for inner, after in _choices(definition, chosen):
                variable = Variable(label, inner)
                yield variable, {**after, label: variable}


def _joint_choices(
    operands: tuple[Query, ...], chosen: _Chosen
) -> Iterator[tuple[tuple[Query, ...], _Chosen]]:
    if not operands:
        yield (), chosen
        return
    for first, after in _choices(operands[0], chosen):
        for rest, final in _joint_choices(operands[1:], after):
            yield (first, *rest), final


def count_disjuncts(query: Query) -> int:
    """How many conjunctive queries `to_dnf` makes, before equal ones are dropped."""
    return sum(_count(query, frozenset()).values())


def _count(query: Query, seen: frozenset[int]) -> Counter[frozenset[int]]:
    """The number of choices, by the set of shared variables that they have fixed."""
    match query:
        case Anchor():
            return Counter({seen: 1})
        case Projection(operand=operand):
            return _count(operand, seen)
        case Variable(label, definition):
            if label in seen:
                return Counter({seen: 1})
            inner = _count(definition, seen)
            return Counter({fixed | {label}: ways for fixed, ways in inner.items()})
        case Union(operands):
            total: Counter[frozenset[int]] = Counter()
            for operand in operands:
                total.update(_count(operand, seen))
            return total
        case Intersection(operands):
            product = Counter({seen: 1})
            for operand in operands:
                step: Counter[frozenset[int]] = Counter()
                for fixed, ways in product.items():
                    for after, more in _count(operand, fixed).items():
                        step[after] += ways * more
                product = step
            return product
