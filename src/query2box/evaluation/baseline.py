"""What one gets without a model: entities by how often relations lead to them.

Judged by the same protocol, it says how much of a figure is mere popularity.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from query2box.evaluation.evaluator import Report, report_ranks
from query2box.evaluation.metrics import Ranks
from query2box.graph.adjacency import Adjacency
from query2box.query.nodes import Anchor, Intersection, Projection, Query, Union, Variable
from query2box.workload.query_set import QueryGroup

Scores: TypeAlias = npt.NDArray[np.float32]


class Frequency:
    """How often each directed relation leads to each entity in a graph."""

    def __init__(self, adjacency: Adjacency, num_relations: int) -> None:
        # The edges into v by r are the edges out of v by its inverse.
        subjects = np.repeat(np.arange(adjacency.num_entities), np.diff(adjacency.entity_groups))
        counts = np.zeros((2 * num_relations, adjacency.num_entities), np.float32)
        counts[adjacency.group_relations ^ 1, subjects] = np.diff(adjacency.group_objects)
        self.shares: Scores = counts / np.maximum(counts.sum(1, keepdims=True), 1)

    def scores(self, query: Query) -> Scores:
        """A score for every entity; larger is likelier."""
        match query:
            case Anchor(entity):
                only = np.zeros(self.shares.shape[1], np.float32)
                only[int(entity)] = 1
                return only
            case Projection(relation, _):
                return np.asarray(self.shares[int(relation)])
            case Variable(definition=definition):
                return self.scores(definition)
            case Intersection(operands):
                return reduce(np.multiply, map(self.scores, operands))
            case Union(operands):
                return reduce(np.maximum, map(self.scores, operands))

    def ranks(self, group: QueryGroup) -> Ranks:
        """The ranks of all hard answers of a group."""
        closer, level = [], []
        for row, hard in enumerate(group.hard):
            scores = self.scores(group.query(row)).copy()
            own = scores[hard]
            # Answers do not compete.
            scores[hard] = scores[group.easy[row]] = -1
            ascending = np.sort(scores)
            above = len(scores) - np.searchsorted(ascending, own, "right")
            closer.append(above)
            level.append(len(scores) - np.searchsorted(ascending, own, "left") - above)
        return Ranks(np.concatenate(closer), np.concatenate(level))


def evaluate_frequency(frequency: Frequency, groups: Iterable[QueryGroup]) -> Report:
    """The baseline's figures by the paper's protocol."""
    return report_ranks((group, frequency.ranks(group)) for group in groups)
