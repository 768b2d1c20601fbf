"""Exact answers: the denotation of a query (Query2box, section 3)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import cast

import numpy as np

from query2box.errors import DataError, QueryError
from query2box.graph.adjacency import Adjacency, IntArray
from query2box.graph.knowledge_graph import KnowledgeGraph
from query2box.query.names import bind
from query2box.query.nodes import Query
from query2box.query.skeleton import skeleton_of
from query2box.workload.parallel import chunks, map_threads
from query2box.workload.program import program_of
from query2box.workload.query_set import QueryGroup, Ragged

CHUNK = 256
"""Queries that a thread answers at a time."""

MAX_WORK = 1_000_000_000
"""How many entities one query may list while it tries the values of shared variables."""

_WORK: ContextVar[int | None] = ContextVar("work", default=None)


@contextmanager
def at_most(work: int) -> Iterator[None]:
    """Let each query of this thread list no more entities than that, where somebody waits."""
    token = _WORK.set(work)
    try:
        yield
    finally:
        _WORK.reset(token)


def denotation(query: Query | str, graph: KnowledgeGraph) -> IntArray:
    """The ids of all entities that answer a query on the graph's edges, ascending.

    The query has ids or names, or is the text of a formula or of SPARQL.
    `graph.train`, `graph.valid` and `graph.test` are the paper's nested graphs.
    """
    if isinstance(query, str):
        from query2box.query.language import parse

        bound = parse(query, graph)
    else:
        bound = bind(query, graph)
    skeleton, entities, relations = skeleton_of(bound)
    return answer_rows(
        skeleton,
        np.array([entities], np.int32),
        np.array([relations], np.int32).reshape(1, len(relations)),
        graph.adjacency,
        threads=1,
    ).values


def answer_group(group: QueryGroup, adjacency: Adjacency, threads: int = 2) -> Ragged:
    """All answers of each query of a group, ascending."""
    return answer_rows(group.skeleton, group.entities, group.relations, adjacency, threads)


def answer_rows(
    skeleton: Query,
    entities: IntArray,
    relations: IntArray,
    adjacency: Adjacency,
    threads: int = 2,
) -> Ragged:
    """All answers of each query that a row of entities and relations makes of the skeleton."""
    from query2box.kernels import traversal

    if entities.size and (entities.min() < 0 or entities.max() >= adjacency.num_entities):
        raise DataError("a query names an entity id that the graph lacks")
    program, edges = program_of(skeleton), traversal.edges_of(adjacency)
    entities, relations = traversal.read_only(entities), traversal.read_only(relations)
    allowed = _WORK.get()
    work = MAX_WORK if allowed is None else min(allowed, MAX_WORK)

    def answer(rows: slice) -> tuple[IntArray, IntArray]:
        found = traversal.answer_rows(program, edges, entities[rows], relations[rows], work)
        return cast("tuple[IntArray, IntArray]", found)

    parts = map_threads(answer, chunks(len(entities), CHUNK), threads)
    if any((counts < 0).any() for counts, _ in parts):
        raise QueryError(
            f"the question's shared variables have too many values: trying them all "
            f"would list over {work:,} entities"
        )
    return Ragged.concatenate([Ragged.from_counts(*part) for part in parts])
