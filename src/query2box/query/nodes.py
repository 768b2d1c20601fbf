"""Questions as data: the computation graph of an EPFO query (Query2box, section 3).

A query is a value. `Anchor`, `Projection`, `Intersection` and `Union` are the
paper's nodes; `Variable` wraps a bound variable that is used more than once.
What a query means is said by functions that read these nodes: `denotation`,
`to_dnf`, `embed`.

Build queries with `projection`, `intersection` and `union`: they flatten, sort
and drop duplicates, so that equal questions are equal values. Operands are
sorted by shape first, which is why queries of one shape have one skeleton.

Deviation: the paper draws a shared variable as one node with two outgoing edges.
Trees of frozen values have no identity, so the node is written at each use, and
an equal label says that it is the same one. Branches of a union exclude each
other, so there it says so only for a variable that is used beside the union too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

Symbol: TypeAlias = int | str
"""An id, or a name that has not been looked up yet (`^` before it: the inverse relation)."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """One entity that the question names: a source of the computation graph."""

    entity: Symbol


@dataclass(frozen=True, slots=True)
class Projection:
    """All entities that `relation` leads to from an entity of `operand`."""

    relation: Symbol
    operand: Query


@dataclass(frozen=True, slots=True)
class Intersection:
    """The entities common to all operands."""

    operands: tuple[Query, ...]


@dataclass(frozen=True, slots=True)
class Union:
    """The entities of any operand."""

    operands: tuple[Query, ...]


@dataclass(frozen=True, slots=True)
class Variable:
    """A bound variable with several outgoing edges: one value for all its uses."""

    label: int
    definition: Query


Query: TypeAlias = Anchor | Projection | Intersection | Union | Variable


def projection(relation: Symbol, operand: Query) -> Query:
    """The projection of `operand` along `relation`."""
    return Projection(relation, operand)


def intersection(*operands: Query) -> Query:
    """The intersection of the operands, in canonical form."""
    return _commutative(Intersection, operands)


def union(*operands: Query) -> Query:
    """The union of the operands, in canonical form."""
    return _commutative(Union, operands)


def _commutative(kind: type[Intersection | Union], operands: tuple[Query, ...]) -> Query:
    if not operands:
        raise ValueError(f"{kind.__name__} needs at least one operand")
    flat: dict[Query, None] = {}
    for operand in operands:
        for part in operand.operands if isinstance(operand, kind) else (operand,):
            flat[part] = None
    if len(flat) == 1:
        return next(iter(flat))
    return kind(tuple(sorted(flat, key=sort_key)))


def operands_of(query: Query) -> tuple[Query, ...]:
    """The nodes directly below a node."""
    match query:
        case Anchor():
            return ()
        case Projection(operand=operand):
            return (operand,)
        case Variable(definition=definition):
            return (definition,)
        case _:
            return query.operands


def walk(query: Query) -> Iterator[Query]:
    """Every node, operands before the node that uses them."""
    for operand in operands_of(query):
        yield from walk(operand)
    yield query


def rebuild(query: Query, replace: Callable[[Query], Query]) -> Query:
    """The node with each operand replaced, in canonical form."""
    match query:
        case Anchor():
            return query
        case Projection(relation, operand):
            return projection(relation, replace(operand))
        case Variable(label, definition):
            return Variable(label, replace(definition))
        case Intersection(operands):
            return intersection(*map(replace, operands))
        case Union(operands):
            return union(*map(replace, operands))


def rename(
    query: Query, entity: Callable[[Symbol], Symbol], relation: Callable[[Symbol], Symbol]
) -> Query:
    """The query with every entity and every relation looked up anew."""
    if isinstance(query, Anchor):
        return Anchor(entity(query.entity))
    if isinstance(query, Projection):
        return projection(relation(query.relation), rename(query.operand, entity, relation))
    return rebuild(query, lambda operand: rename(operand, entity, relation))


def shape(query: Query) -> str:
    """The query with its names left out, e.g. `i(p(e),p(p(e)))`."""
    match query:
        case Anchor():
            return "e"
        case Projection(operand=operand):
            return f"p({shape(operand)})"
        case Variable(label, definition):
            return f"v{label}({shape(definition)})"
        case Intersection(operands):
            return f"i({','.join(map(shape, operands))})"
        case Union(operands):
            return f"u({','.join(map(shape, operands))})"


def symbols(query: Query) -> Iterator[Symbol]:
    """The entities and relations in the order of `walk`."""
    for node in walk(query):
        if isinstance(node, Anchor):
            yield node.entity
        elif isinstance(node, Projection):
            yield node.relation


def sort_key(query: Query) -> tuple[object, ...]:
    """Orders queries by shape, then by their symbols; ids before names."""
    return shape(query), tuple(
        (0, s, "") if isinstance(s, int) else (1, 0, s) for s in symbols(query)
    )
