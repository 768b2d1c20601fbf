"""Who cannot answer: an entity that would be its own neighbour where nobody is.

A country does not border on itself, and no model of distances knows that: the box
of `borders(France, ?)` lies about as near to France as to its neighbours. So where
the stored edges of a relation hold not one loop, and are not few, none is predicted.
"""

from __future__ import annotations

from functools import reduce
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from query2box.graph.adjacency import IntArray
from query2box.graph.knowledge_graph import KnowledgeGraph
from query2box.query.nodes import Anchor, Intersection, Projection, Query, Union, Variable
from query2box.workload.query_set import Ragged

BoolArray: TypeAlias = npt.NDArray[np.bool_]

ENOUGH = 20
"""Edges of a relation that show what there is; of fewer, none being a loop may be chance."""


def without_loops(graph: KnowledgeGraph) -> BoolArray:
    """Which relations lead from nobody to itself [2R], the same for a relation and its inverse."""
    head, relation, tail = graph.edges.T
    edges = np.bincount(relation, minlength=graph.num_relations)
    loops = np.bincount(relation[head == tail], minlength=graph.num_relations)
    return np.repeat((edges >= ENOUGH) & (loops == 0), 2)


def ruled_out(skeleton: Query, entities: IntArray, relations: IntArray, never: BoolArray) -> Ragged:
    """The entities that cannot answer the queries that rows make of a skeleton, ascending.

    Only an anchor can be its own neighbour: what stands between is anybody. None of
    them is a known answer, for `never` [2R] speaks of the stored edges.
    """
    out = [_rules_out(skeleton, entities, never[relations], one) for one in entities.T]
    mask = np.stack(out, 1) if out else np.zeros(entities.shape, np.bool_)
    return Ragged.from_counts(mask.sum(1), entities[mask]).ascending()


def _rules_out(query: Query, anchors: IntArray, never: BoolArray, entity: IntArray) -> BoolArray:
    """Whether the query of each row [B] has no place for the row's entity."""
    match query:
        case Projection(slot, Anchor(anchor)):
            loop: BoolArray = never[:, int(slot)] & np.equal(anchors[:, int(anchor)], entity)
            return loop
        case Intersection(operands):
            parts = (_rules_out(part, anchors, never, entity) for part in operands)
            return reduce(np.logical_or, parts)
        case Union(operands):
            parts = (_rules_out(part, anchors, never, entity) for part in operands)
            return reduce(np.logical_and, parts)
        case Variable(definition=definition):
            return _rules_out(definition, anchors, never, entity)
        case _:
            return np.zeros(len(entity), np.bool_)


def joined(one: Ragged, other: Ragged) -> Ragged:
    """The values of both, row by row, ascending."""
    if not len(one.values) or not len(other.values):
        return one if len(one.values) else other
    rows = np.concatenate((one.rows, other.rows))
    values = np.concatenate((one.values, other.values))
    order = np.lexsort((values, rows))
    return Ragged.from_counts(one.counts + other.counts, values[order])
