"""Link prediction in the conventional way: the mean over edges (Query2box, appendix C)."""

from __future__ import annotations

import numpy as np

from query2box.errors import DataError
from query2box.graph.adjacency import Adjacency, IntArray
from query2box.graph.knowledge_graph import SPLITS, KnowledgeGraph, Split
from query2box.query.skeleton import STRUCTURES
from query2box.workload.denotation import answer_group
from query2box.workload.query_set import QueryGroup, Ragged


def link_queries(graph: KnowledgeGraph, split: Split) -> QueryGroup:
    """Every edge of a split asked for from both its ends, as 1p queries.

    Their hard answers are the split's edges in both directions, so the mean
    over answers is the mean over edges and ends.
    """
    if split not in graph.splits or split == "train" or not len(graph.edges_of(split)):
        raise DataError(f"the graph has no {split} edges to predict")
    before = graph.up_to(SPLITS[SPLITS.index(split) - 1])
    return edge_queries(graph.edges_of(split), before.adjacency)


def edge_queries(edges: IntArray, others: Adjacency) -> QueryGroup:
    """Edges asked for from both their ends; what other edges answer is easy."""
    head, relation, tail = edges.T
    asked = np.concatenate(
        (np.stack((head, 2 * relation), 1), np.stack((tail, 2 * relation + 1), 1))
    ).astype(np.int32)
    answers = np.concatenate((tail, head))
    queries, row = np.unique(asked, axis=0, return_inverse=True)
    order = np.lexsort((answers, row))
    hard = Ragged.from_counts(np.bincount(row, minlength=len(queries)), answers[order])
    group = QueryGroup(
        "1p",
        STRUCTURES["1p"],
        np.ascontiguousarray(queries[:, :1]),
        np.ascontiguousarray(queries[:, 1:]),
        Ragged.empty(len(queries)),
        hard,
    )
    easy = answer_group(group, others)
    return QueryGroup(group.structure, group.skeleton, group.entities, group.relations, easy, hard)
