"""The plain way to sample and to answer: dictionaries, sets and recursion.

This is what one would write first, and what the published code does. It is here
to be measured against (`q2b bench sample`) and to check the kernels by.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from random import Random

from query2box.errors import UnsupportedQueryError
from query2box.query.nodes import (
    Anchor,
    Intersection,
    Projection,
    Query,
    Union,
    Variable,
    intersection,
    operands_of,
    projection,
    shape,
    union,
)


class PlainGraph:
    """Edges as a dictionary of entities, of their relations, of lists of objects."""

    def __init__(self, edges: Iterable[tuple[int, int, int]]) -> None:
        self.objects: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
        for head, relation, tail in edges:
            self.objects[head][2 * relation].append(tail)
            self.objects[tail][2 * relation + 1].append(head)
        self.entities = sorted(self.objects)


def plain_answers(query: Query, graph: PlainGraph) -> set[int]:
    """The answers of a query without shared variables, in post-order."""
    match query:
        case Anchor(entity):
            return {int(entity)}
        case Projection(relation, operand):
            sources = plain_answers(operand, graph) & graph.objects.keys()
            return set().union(*(graph.objects[e].get(int(relation), ()) for e in sources))
        case Intersection(operands):
            return set.intersection(*(plain_answers(operand, graph) for operand in operands))
        case Union(operands):
            return set.union(*(plain_answers(operand, graph) for operand in operands))
        case Variable():
            raise UnsupportedQueryError("the plain way knows no shared variables")


def plain_sample(skeleton: Query, graph: PlainGraph, random: Random) -> tuple[Query, set[int]]:
    """A query of the skeleton and its answers, backwards from a uniform target."""
    while True:
        query = _grounded(skeleton, random.choice(graph.entities), graph, random)
        if not _undoes(query) and shape(query) == shape(skeleton):
            return query, plain_answers(query, graph)


def _grounded(skeleton: Query, entity: int, graph: PlainGraph, random: Random) -> Query:
    """A query of the skeleton that the entity answers."""
    match skeleton:
        case Anchor():
            return Anchor(entity)
        case Projection(operand=operand):
            backwards = random.choice(list(graph.objects[entity]))
            source = random.choice(graph.objects[entity][backwards])
            return projection(backwards ^ 1, _grounded(operand, source, graph, random))
        case Intersection(operands):
            return intersection(*(_grounded(part, entity, graph, random) for part in operands))
        case Union(operands):
            return union(*(_grounded(part, entity, graph, random) for part in operands))
        case Variable():
            raise UnsupportedQueryError("the plain way knows no shared variables")


def _undoes(query: Query) -> bool:
    """Whether a relation is followed by its inverse on some path."""
    if isinstance(query, Projection) and int(query.relation) ^ 1 in _last_relations(query.operand):
        return True
    return any(map(_undoes, operands_of(query)))


def _last_relations(query: Query) -> set[int]:
    """The relations of the projections that a query ends in."""
    if isinstance(query, Projection):
        return {int(query.relation)}
    return set().union(*map(_last_relations, operands_of(query)))
