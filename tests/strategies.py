"""Random small graphs and random queries over them."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from query2box.graph.knowledge_graph import KnowledgeGraph
from query2box.graph.vocabulary import Vocabulary
from query2box.query.nodes import Anchor, Query, Variable, intersection, projection, union
from query2box.query.variables import canonical

NUM_ENTITIES = 7
NUM_RELATIONS = 3


def make_graph(
    edges: list[tuple[int, int, int]], entities: int = NUM_ENTITIES, relations: int = NUM_RELATIONS
) -> KnowledgeGraph:
    """A graph with entities e0, e1, ... and relations r0, r1, ..."""
    return KnowledgeGraph(
        Vocabulary("entity", (f"e{i}" for i in range(entities))),
        Vocabulary("relation", (f"r{i}" for i in range(relations))),
        {"train": np.array(sorted(set(edges)), np.int32).reshape(-1, 3)},
    )


@st.composite
def graphs(draw: st.DrawFn) -> KnowledgeGraph:
    entity = st.integers(0, NUM_ENTITIES - 1)
    relation = st.integers(0, NUM_RELATIONS - 1)
    return make_graph(draw(st.lists(st.tuples(entity, relation, entity), max_size=40)))


def _trees(anchors: st.SearchStrategy[Query]) -> st.SearchStrategy[Query]:
    relation = st.integers(0, 2 * NUM_RELATIONS - 1)
    one_hop = st.builds(projection, relation, anchors)

    def grow(inner: st.SearchStrategy[Query]) -> st.SearchStrategy[Query]:
        several = st.lists(inner, min_size=2, max_size=3)
        return st.one_of(
            st.builds(projection, relation, inner),
            several.map(lambda qs: intersection(*qs)),
            several.map(lambda qs: union(*qs)),
        )

    return st.recursive(one_hop, grow, max_leaves=5)


def tree_queries() -> st.SearchStrategy[Query]:
    """Queries by id, without shared variables; a target is never a constant."""
    return _trees(st.integers(0, NUM_ENTITIES - 1).map(Anchor))


@st.composite
def shared_queries(draw: st.DrawFn) -> Query:
    """Queries by id in which one or two bound variables may be used several times."""
    definition = draw(tree_queries())
    anchor = st.integers(0, NUM_ENTITIES - 1).map(Anchor)
    first = Variable(1, definition)
    if draw(st.booleans()):
        second = Variable(2, draw(_trees(st.one_of(anchor, st.just(first)))))
        return canonical(draw(_trees(st.one_of(anchor, st.just(first), st.just(second)))))
    return canonical(draw(_trees(st.one_of(anchor, st.just(first)))))


def queries() -> st.SearchStrategy[Query]:
    """Any query by id."""
    return st.one_of(tree_queries(), shared_queries())
