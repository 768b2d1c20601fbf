"""A knowledge graph in figures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from query2box.graph.adjacency import OffsetArray
from query2box.graph.knowledge_graph import KnowledgeGraph, Split


@dataclass(frozen=True, slots=True)
class Degrees:
    """How many edges the entities have, in one direction."""

    mean: float
    median: float
    max: int

    @classmethod
    def of(cls, counts: OffsetArray) -> Degrees:
        """The figures of one count an entity."""
        return cls(float(counts.mean()), float(np.median(counts)), int(counts.max()))


@dataclass(frozen=True, slots=True)
class RelationFigures:
    """How often a relation occurs, and how many objects it has where it has any."""

    relation: str
    edges: int
    objects: float
    """Mean number of tails a head."""
    inverse_objects: float
    """Mean number of heads a tail."""


@dataclass(frozen=True, slots=True)
class GraphStatistics:
    """The figures of a graph; degrees and relations count the edges of all splits."""

    entities: int
    relations: int
    edges: dict[Split, int]
    labels: int
    out_degree: Degrees
    in_degree: Degrees
    entities_without_training_edges: int
    per_relation: tuple[RelationFigures, ...]
    """The most frequent first."""


def statistics_of(graph: KnowledgeGraph) -> GraphStatistics:
    """Count a graph's parts."""
    size = graph.num_entities
    heads, relations, tails = graph.edges.T
    train = graph.edges_of("train")
    trained = np.bincount(train[:, 0::2].ravel(), minlength=size)
    edges = np.bincount(relations, minlength=graph.num_relations)
    # A group of the index is a (subject, directed relation) that has objects.
    subjects = np.bincount(graph.adjacency.group_relations, minlength=2 * graph.num_relations)
    objects = edges[:, None] / np.maximum(subjects.reshape(-1, 2), 1)
    return GraphStatistics(
        entities=size,
        relations=graph.num_relations,
        edges={split: len(graph.edges_of(split)) for split in graph.splits},
        labels=len(graph.labels),
        out_degree=Degrees.of(np.bincount(heads, minlength=size)),
        in_degree=Degrees.of(np.bincount(tails, minlength=size)),
        entities_without_training_edges=int((trained == 0).sum()),
        per_relation=tuple(
            RelationFigures(graph.relations[r], int(edges[r]), *map(float, objects[r]))
            for r in np.argsort(-edges, kind="stable").tolist()
        ),
    )
