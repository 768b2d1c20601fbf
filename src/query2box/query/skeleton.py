"""Skeletons: queries whose ids are slot numbers, and the paper's names for nine of them.

Whatever works on many queries at once groups them by skeleton, so a shape that
nobody has named runs as fast as the paper's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import count

from query2box.errors import QuerySyntaxError
from query2box.query.legality import MAX_DEPTH, check_legal
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
    shape,
    union,
    walk,
)
from query2box.query.variables import canonical


def skeleton_of(query: Query) -> tuple[Query, tuple[Symbol, ...], tuple[Symbol, ...]]:
    """The query's skeleton, its entities and its relations; slots count in `walk` order."""
    entities: list[Symbol] = []
    relations: list[Symbol] = []
    variables: dict[int, Query] = {}

    def visit(node: Query) -> Query:
        match node:
            case Anchor(entity):
                entities.append(entity)
                return Anchor(len(entities) - 1)
            case Projection(relation, operand):
                inner = visit(operand)
                relations.append(relation)
                return Projection(len(relations) - 1, inner)
            case Variable(label, definition):
                if label not in variables:
                    variables[label] = visit(definition)
                return Variable(label, variables[label])
            case Intersection(operands):
                return Intersection(tuple(map(visit, operands)))
            case Union(operands):
                return Union(tuple(map(visit, operands)))

    def branch(query: Query) -> Query:
        # The branches of a union on top number their variables each from 1.
        variables.clear()
        return visit(query)

    match query:
        case Union(operands):
            skeleton: Query = Union(tuple(map(branch, operands)))
        case _:
            skeleton = visit(query)
    return skeleton, tuple(entities), tuple(relations)


def instantiate(skeleton: Query, entities: Sequence[Symbol], relations: Sequence[Symbol]) -> Query:
    """The query that puts these entities and relations into the skeleton's slots."""
    match skeleton:
        case Anchor(slot):
            return Anchor(entities[int(slot)])
        case Projection(slot, operand):
            return projection(relations[int(slot)], instantiate(operand, entities, relations))
        case Variable(label, definition):
            return Variable(label, instantiate(definition, entities, relations))
        case Intersection(operands):
            return intersection(*(instantiate(q, entities, relations) for q in operands))
        case Union(operands):
            return union(*(instantiate(q, entities, relations) for q in operands))


def slot_counts(skeleton: Query) -> tuple[int, int]:
    """How many entities and how many relations fill the skeleton."""
    entities = {node.entity for node in walk(skeleton) if isinstance(node, Anchor)}
    relations = {node.relation for node in walk(skeleton) if isinstance(node, Projection)}
    return len(entities), len(relations)


_TOKEN = re.compile(r"\s*(?:([epiu(),])|(v)([0-9]{1,9}))")
MAX_SHAPE_LENGTH = 16_384


def parse_shape(text: str) -> Query:
    """The skeleton of a shape such as `i(p(e),p(p(e)))`; `v1(...)` is a shared variable."""
    if len(text) > MAX_SHAPE_LENGTH:
        raise QuerySyntaxError(f"a shape has at most {MAX_SHAPE_LENGTH:,} characters")
    slots = count()
    variables: dict[tuple[str, str], Query] = {}
    position = 0

    def token() -> tuple[str, str]:
        nonlocal position
        match = _TOKEN.match(text, position)
        if match is None:
            raise QuerySyntaxError(
                "a shape is made of e, p(...), i(...,...), u(...,...) and v1(...)", text, position
            )
        position = match.end()
        return match[1] or match[2], match[3] or ""

    def operands(depth: int) -> list[Query]:
        found: list[Query] = []
        wanted = "("
        while True:
            start = position
            sign, _ = token()
            if sign not in wanted:
                raise QuerySyntaxError(f"expected {' or '.join(wanted)} here", text, start)
            if sign == ")":
                return found
            found.append(node(depth + 1))
            wanted = ",)"

    def node(depth: int) -> Query:
        start = position
        if depth > MAX_DEPTH:
            raise QuerySyntaxError(f"the shape is nested over {MAX_DEPTH} deep", text, start)
        kind, label = token()
        if kind == "e":
            return Anchor(next(slots))
        if kind in "(),":
            raise QuerySyntaxError(f"{kind!r} cannot stand here", text, start)
        inner = operands(depth)
        if kind in "pv" and len(inner) != 1:
            raise QuerySyntaxError(f"{kind!r} takes one operand", text, start)
        if kind == "p":
            # Slots are made anew below; the numbers only keep operands apart.
            return Projection(next(slots), inner[0])
        if kind == "v":
            return variables.setdefault((label, shape(inner[0])), Variable(int(label), inner[0]))
        return intersection(*inner) if kind == "i" else union(*inner)

    query = node(1)
    if text[position:].strip():
        raise QuerySyntaxError("the shape ends before this", text, position)
    query = canonical(query)
    check_legal(query)
    return skeleton_of(query)[0]


STRUCTURES: dict[str, Query] = {
    name: parse_shape(text)
    for name, text in {
        "1p": "p(e)",
        "2p": "p(p(e))",
        "3p": "p(p(p(e)))",
        "2i": "i(p(e),p(e))",
        "3i": "i(p(e),p(e),p(e))",
        "ip": "p(i(p(e),p(e)))",
        "pi": "i(p(e),p(p(e)))",
        "2u": "u(p(e),p(e))",
        "up": "p(u(p(e),p(e)))",
    }.items()
}
"""The nine query structures of Query2box, figure 4."""

TRAINING_STRUCTURES = ("1p", "2p", "3p", "2i", "3i")
"""The five that models are trained on; the others test generalisation."""

_NAMES = {shape(skeleton): name for name, skeleton in STRUCTURES.items()}


def structure_name(query: Query) -> str:
    """The paper's name of the query's structure or, where it has none, its shape."""
    found = shape(query)
    return _NAMES.get(found, found)


def structure(name: str) -> Query:
    """The skeleton of a structure given by the paper's name or by its shape."""
    return STRUCTURES[name] if name in STRUCTURES else parse_shape(name)
