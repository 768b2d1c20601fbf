"""Theorem 1's M: conjunctive queries with disjoint answers (Query2box, appendix app:calculate_m).

With "or", every subset of such queries is a question of its own, so a distance
that models all questions by one embedding each must shatter M points.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from query2box.experiment.report.datasets import Dataset
from query2box.experiment.report.tables import Row, Table, count
from query2box.graph.adjacency import Adjacency, IntArray
from query2box.graph.knowledge_graph import KnowledgeGraph
from query2box.query.nodes import Anchor, Query, intersection, projection

TRIED = 32
"""1p queries of an entity whose pairs are tried: those with the fewest answers."""


@dataclass(frozen=True)
class Disjoint:
    """Queries of which no two have an answer in common."""

    one_hop: tuple[tuple[int, int], ...]
    """1p queries: (entity, directed relation)."""
    pairs: tuple[tuple[tuple[int, int], tuple[int, int]], ...]
    """2i queries: two of those."""

    @property
    def size(self) -> int:
        """M."""
        return len(self.one_hop) + len(self.pairs)

    def queries(self) -> list[Query]:
        """The queries by id."""
        one_hop = [projection(relation, Anchor(entity)) for entity, relation in self.one_hop]
        both = [
            intersection(*(projection(relation, Anchor(entity)) for entity, relation in pair))
            for pair in self.pairs
        ]
        return [*one_hop, *both]


def disjoint_queries(graph: KnowledgeGraph, tried: int = TRIED) -> Disjoint:
    """Choose greedily: 1p queries first, then 2i queries for the entities that are left.

    Deviation: the paper takes 1p queries in no order it names and pairs them at
    random; here those with few answers come first, and only pairs that share an
    entity not yet taken are tried. Both make M larger and the same every time.
    """
    search = _Search(graph.adjacency)
    one_hop = search.one_hop()
    pairs = search.pairs(tried)
    groups = search.subjects, search.adjacency.group_relations

    def named(group: int) -> tuple[int, int]:
        return int(groups[0][group]), int(groups[1][group])

    return Disjoint(
        tuple(named(group) for group in one_hop),
        tuple((named(first), named(second)) for first, second in pairs),
    )


class _Search:
    """The entities taken so far; a group of the adjacency is a 1p query that has answers."""

    def __init__(self, adjacency: Adjacency) -> None:
        self.adjacency = adjacency
        self.taken = np.zeros(adjacency.num_entities, np.bool_)
        sizes = np.diff(adjacency.entity_groups)
        self.subjects = np.repeat(np.arange(adjacency.num_entities), sizes)

    def answers(self, group: int) -> IntArray:
        bounds = self.adjacency.group_objects
        return self.adjacency.objects[bounds[group] : bounds[group + 1]]

    def one_hop(self) -> list[int]:
        """1p queries without a taken answer, those with the fewest answers first."""
        chosen = []
        for group in np.argsort(np.diff(self.adjacency.group_objects), kind="stable").tolist():
            answers = self.answers(group)
            if not self.taken[answers].any():
                self.taken[answers] = True
                chosen.append(group)
        return chosen

    def pairs(self, tried: int) -> list[tuple[int, int]]:
        """2i queries that give entities not yet taken, and no others."""
        chosen = []
        for entity in np.flatnonzero(~self.taken).tolist():
            pair = None if self.taken[entity] else self._pair(entity, tried)
            if pair is not None:
                first, second = map(self.answers, pair)
                self.taken[np.intersect1d(first, second, assume_unique=True)] = True
                chosen.append(pair)
        return chosen

    def _pair(self, entity: int, tried: int) -> tuple[int, int] | None:
        """Two 1p queries with this answer whose taken answers are disjoint."""
        bounds = self.adjacency.group_objects
        groups = sorted(self._leading_to(entity), key=lambda g: int(bounds[g + 1] - bounds[g]))
        taken = [
            (group, set(answers[self.taken[answers]].tolist()))
            for group in groups[:tried]
            for answers in (self.answers(group),)
        ]
        for (first, one), (second, other) in combinations(taken, 2):
            if one.isdisjoint(other):
                return first, second
        return None

    def _leading_to(self, entity: int) -> list[int]:
        """The 1p queries that have this answer: what it leads to, turned around."""
        adjacency = self.adjacency
        found = []
        for group in range(*adjacency.entity_groups[entity : entity + 2].tolist()):
            relation = int(adjacency.group_relations[group]) ^ 1
            for subject in self.answers(group).tolist():
                first, last = adjacency.entity_groups[subject : subject + 2].tolist()
                own = adjacency.group_relations[first:last]
                found.append(first + int(np.searchsorted(own, relation)))
        return found


def disjoint_table(found: Sequence[tuple[Dataset, Disjoint]]) -> Table:
    """M of each graph beside its entities."""
    rows: list[Row] = []
    for dataset, disjoint in found:
        graph = dataset.graph
        counts = len(disjoint.one_hop), len(disjoint.pairs), disjoint.size
        rows.append((dataset.name, *map(count, (graph.num_entities, *counts))))
        if dataset.paper and "disjoint" in dataset.paper.said:
            said = dataset.paper.said
            parts = said["disjoint"]
            rows.append(
                (
                    f"{dataset.paper.name}, paper",
                    *map(count, (said["entities"], *parts, sum(parts))),
                )
            )
    return Table(
        "disjoint",
        "Conjunctive queries with disjoint answers (appendix app:calculate_m)",
        ("dataset", "entities", "1p", "2i", "M"),
        tuple(rows),
        "Chosen greedily on the edges of all splits, those with the fewest answers first.",
    )


def in_words(dataset: Dataset, found: Disjoint) -> str:
    """The bound that follows, for readers who know what a dimension is."""
    size = found.size
    return (
        f"On {dataset.name}, {size:,} conjunctive queries have answers of which no two have one "
        f'in common. Any of them joined by "or" are a question with answers of its own, so by '
        f"Theorem 1 (thm:fundamental) a distance that models every question with one embedding "
        f"needs a VC dimension of at least {size:,}. Balls, which have d + 1, would need "
        f"{max(size - 1, 0):,} dimensions, and boxes, which have 2d, {-(-size // 2):,}; this is "
        f"why a union is rewritten to several boxes instead."
    )
