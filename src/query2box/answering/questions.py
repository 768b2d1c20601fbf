"""Questions in whatever form they come."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple, TypeAlias, cast

import numpy as np

from query2box.errors import QuerySyntaxError
from query2box.graph.adjacency import IntArray
from query2box.graph.knowledge_graph import KnowledgeGraph
from query2box.query.codec import Json
from query2box.query.language import parse_question
from query2box.query.names import bind, bound_entity
from query2box.query.nodes import Anchor, Intersection, Projection, Query, Symbol, Union, Variable
from query2box.workload.denotation import denotation
from query2box.workload.query_files import read_query

QueryLike: TypeAlias = "str | Query | list[Json]"
"""The text of a formula or of SPARQL, query nodes, or nested lists as in query files."""

NODES = (Anchor, Projection, Intersection, Union, Variable)


class Asked(NamedTuple):
    """A question by id, and how many answers its text asks for at most."""

    query: Query
    limit: int | None = None


def understand(query: QueryLike, graph: KnowledgeGraph) -> Asked:
    """The question by id; what the graph cannot be asked is refused."""
    if isinstance(query, str):
        question = parse_question(query, graph)
        return Asked(bind(question.query, graph), question.limit)
    if isinstance(query, NODES):
        return Asked(bind(query, graph))
    if isinstance(query, list):
        return Asked(read_query(cast("Json", query), graph))
    raise QuerySyntaxError(f"a question is a text, query nodes or nested lists, not {query!r}")


def candidate_ids(candidates: QueryLike | Collection[Symbol], graph: KnowledgeGraph) -> IntArray:
    """The entities that are allowed to answer, ascending.

    Either the exact answers of a question on the graph, or entities by name or id.
    """
    if isinstance(candidates, (str, *NODES)):
        return denotation(understand(cast("QueryLike", candidates), graph).query, graph)
    ids = {bound_entity(entity, graph) for entity in cast("Collection[Symbol]", candidates)}
    return np.array(sorted(ids), np.int32)
