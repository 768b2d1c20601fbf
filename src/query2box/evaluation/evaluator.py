"""The paper's protocol: each hard answer against non-answers only (section 4.2)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from query2box.evaluation.metrics import FloatArray, Metrics, Ranks
from query2box.model.embedding import QueryEmbedding
from query2box.workload.query_set import QueryGroup, Ragged

BATCH = 4096


@dataclass(frozen=True)
class Report:
    """The figures of each structure, in the order the queries came."""

    structures: dict[str, Metrics]

    @property
    def average(self) -> Metrics:
        """The mean over structures."""
        return Metrics.mean(list(self.structures.values()))

    def to_json(self) -> dict[str, Any]:
        """As `q2b evaluate --json` prints it."""
        return {
            "average": self.average.to_json(),
            "structures": {name: one.to_json() for name, one in self.structures.items()},
        }


def evaluate_queries(model: QueryEmbedding, groups: Iterable[QueryGroup]) -> Report:
    """Rank every hard answer and average over answers, queries and structures."""
    return report_ranks((group, rank_group(model, group)) for group in groups)


def report_ranks(ranked: Iterable[tuple[QueryGroup, Ranks]]) -> Report:
    """The figures of ranked groups; those of one structure count as one.

    A structure without hard answers has no figures.
    """
    ranks: dict[str, list[FloatArray]] = {}
    hard: dict[str, list[Ragged]] = {}
    for group, found in ranked:
        if len(group.hard.values):
            ranks.setdefault(group.structure, []).append(found.realistic)
            hard.setdefault(group.structure, []).append(group.hard)
    return Report(
        {
            name: Metrics.by_query(np.concatenate(ranks[name]), Ragged.concatenate(hard[name]))
            for name in ranks
        }
    )


@torch.no_grad()
def rank_group(model: QueryEmbedding, group: QueryGroup) -> Ranks:
    """The ranks of all hard answers of a group, in the order of `group.hard.values`."""
    from query2box.kernels.ranks import ranks_kernel

    closer = np.zeros(len(group.hard.values), np.int64)
    level = np.zeros_like(closer)
    points = model.points.detach()
    for first in range(0, len(group), BATCH):
        rows = slice(first, first + BATCH)
        entities = torch.from_numpy(group.entities[rows]).long()
        boxes = model.boxes(
            group.skeleton, points[entities], torch.from_numpy(group.relations[rows]).long()
        )
        queries, disjuncts, dim = boxes.center.shape
        easy_offsets = group.easy.offsets[first : first + queries + 1]
        hard_offsets = group.hard.offsets[first : first + queries + 1]
        ranks_kernel(
            points.cpu().numpy(),
            boxes.center.reshape(-1, dim).cpu().numpy(),
            boxes.offset.reshape(-1, dim).cpu().numpy(),
            np.arange(queries + 1) * disjuncts,
            easy_offsets,
            group.easy.values,
            hard_offsets,
            group.hard.values,
            np.float32(model.config.alpha),
            closer,
            level,
        )
    return Ranks(closer, level)
