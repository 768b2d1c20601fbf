"""Queries as JSON: the form of query files and of the HTTP API.

    Q = ["e", entity] | ["p", relation, Q] | ["i", Q, Q, ...] | ["u", Q, Q, ...]
      | ["v", number, Q]     a shared variable, written in full at each use

An entity is an id or a name; a relation is a name, `^` before it for the
inverse, or a directed id.
"""

from __future__ import annotations

import reprlib
from typing import TypeAlias

from query2box.errors import QuerySyntaxError
from query2box.query.legality import (
    MAX_DEPTH,
    MAX_NODES,
    check_legal,
    constant_target,
    too_large,
)
from query2box.query.nodes import (
    Anchor,
    Intersection,
    Projection,
    Query,
    Symbol,
    Union,
    Variable,
    intersection,
    projection,
    union,
)
from query2box.query.variables import canonical

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"


def to_json(query: Query) -> list[Json]:
    """The query as nested lists."""
    match query:
        case Anchor(entity):
            return ["e", entity]
        case Projection(relation, operand):
            return ["p", relation, to_json(operand)]
        case Variable(label, definition):
            return ["v", label, to_json(definition)]
        case Intersection(operands):
            return ["i", *map(to_json, operands)]
        case Union(operands):
            return ["u", *map(to_json, operands)]


def from_json(value: Json) -> Query:
    """The query that nested lists describe; anything else is refused."""
    budget = MAX_NODES
    shared = False

    def visit(node: Json, depth: int) -> Query:
        nonlocal budget, shared
        budget -= 1
        if budget < 0 or depth > MAX_DEPTH:
            raise too_large()
        match node:
            case ["e", entity]:
                return Anchor(_symbol(entity, "an entity"))
            case ["p", relation, operand]:
                return projection(_symbol(relation, "a relation"), visit(operand, depth + 1))
            case ["v", int(label), definition] if not isinstance(label, bool):
                shared = True
                return Variable(label, end(definition, depth + 1))
            case ["i", _, *_]:
                return intersection(*(end(operand, depth + 1) for operand in node[1:]))
            case ["u", _, *_]:
                return union(*(end(operand, depth + 1) for operand in node[1:]))
        raise QuerySyntaxError(
            'a query is ["e", entity], ["p", relation, query], ["i", query, ...] '
            f'or ["u", query, ...], not {_excerpt(node)}'
        )

    def end(node: Json, depth: int) -> Query:
        query = visit(node, depth)
        if isinstance(query, Anchor):
            raise constant_target(query)
        return query

    query = end(value, 1)
    if shared:
        query = canonical(query)
        check_legal(query)
    return query


def _symbol(value: Json, kind: str) -> Symbol:
    if isinstance(value, str) and value:
        return value
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    raise QuerySyntaxError(f"{kind} is a name or an id, not {_excerpt(value)}")


def _excerpt(value: Json) -> str:
    text = reprlib.repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
