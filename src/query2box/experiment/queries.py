"""The evaluation queries of a dataset: its own file, or sampled as the paper does."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from query2box.errors import DataError
from query2box.graph.knowledge_graph import KnowledgeGraph, Split
from query2box.query.skeleton import STRUCTURES
from query2box.workload.query_files import read_queries
from query2box.workload.query_set import QueryGroup
from query2box.workload.sampler import sample_evaluation

SAMPLED = 1000
"""Queries of each structure where a dataset brings none."""


def query_file(folder: str | Path | None, split: Split) -> Path | None:
    """The dataset's own queries for a split, if it has any."""
    if folder is None:
        return None
    names = (Path(folder) / f"{split}-queries.jsonl{gz}" for gz in ("", ".gz"))
    return next((path for path in names if path.is_file()), None)


def evaluation_queries(
    graph: KnowledgeGraph, split: Split, folder: str | Path | None = None, limit: int = 0
) -> tuple[QueryGroup, ...]:
    """The queries of a split, at most `limit` of each structure (0: all)."""
    path = query_file(folder, split)
    groups = read_hard_queries(path, graph) if path else _sampled(graph, split)
    return tuple(at_most(group, limit) for group in groups)


def validation_queries(
    graph: KnowledgeGraph, folder: str | Path | None = None, limit: int = 0
) -> tuple[QueryGroup, ...]:
    """The dataset's validation queries; none where it has none and gives none."""
    try:
        return evaluation_queries(graph, "valid", folder, limit)
    except DataError:
        if query_file(folder, "valid"):
            raise
        return ()


def read_hard_queries(path: str | Path, graph: KnowledgeGraph) -> tuple[QueryGroup, ...]:
    """The queries of a file that have hard answers: others cannot be judged."""
    found = []
    for group in read_queries(path, graph).groups:
        rows = np.flatnonzero(group.hard.counts)
        if len(rows):
            found.append(group if len(rows) == len(group) else group.take(rows))
    if not found:
        raise DataError("no query in this file has a hard answer", path)
    return tuple(found)


def _sampled(graph: KnowledgeGraph, split: Split) -> Sequence[QueryGroup]:
    """Queries of the nine structures; those that the graph cannot give are left out."""
    if split not in graph.splits or split == "train":
        raise DataError(f"the graph has no {split} edges to ask for, and no queries are given")
    found = []
    for skeleton in STRUCTURES.values():
        try:
            found.append(sample_evaluation(graph, split, skeleton, SAMPLED, seed=0))
        except DataError:
            continue
    if not found:
        raise DataError(f"the {split} edges give no question that needs one of them")
    return found


def at_most(group: QueryGroup, limit: int) -> QueryGroup:
    """A fixed random choice of a group's queries; all of them where the limit is 0."""
    if not 0 < limit < len(group):
        return group
    order = np.random.default_rng(0).permutation(len(group))
    return group.take(np.sort(order[:limit]))
