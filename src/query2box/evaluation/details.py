"""What reports tell of evaluation queries besides their figures: answers and ranks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from query2box.evaluation.metrics import FloatArray, Ranks
from query2box.workload.query_set import QueryGroup, Ragged

EDGES = (1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000)
"""The last rank of each bin of a histogram; one more bin holds what comes behind."""


def rank_shares(ranks: FloatArray, hard: Ragged) -> list[float]:
    """The share of each bin of ranks, counted as the figures are: each query counts alike.

    So the shares of the first bins add up to H@1, H@3 and H@10.
    """
    counts = hard.counts
    weights = 1 / (counts[hard.rows] * max(int((counts > 0).sum()), 1))
    shares = np.bincount(np.searchsorted(EDGES, ranks), weights, len(EDGES) + 1)
    return [float(share) for share in shares]


def details(ranked: Iterable[tuple[QueryGroup, Ranks]]) -> dict[str, dict[str, Any]]:
    """For each structure with hard answers: mean numbers of answers, and the ranks' shares."""
    ranks: dict[str, list[FloatArray]] = {}
    groups: dict[str, list[QueryGroup]] = {}
    for group, found in ranked:
        if len(group.hard.values):
            ranks.setdefault(group.structure, []).append(found.realistic)
            groups.setdefault(group.structure, []).append(group)
    return {
        name: {
            **_mean_answers(groups[name]),
            "ranks": rank_shares(
                np.concatenate(ranks[name]),
                Ragged.concatenate([group.hard for group in groups[name]]),
            ),
        }
        for name in ranks
    }


def _mean_answers(groups: list[QueryGroup]) -> dict[str, float]:
    """How many answers a query has altogether, and how many of them are hard."""
    hard = np.concatenate([group.hard.counts for group in groups])
    easy = np.concatenate([group.easy.counts for group in groups])
    asked = hard > 0
    return {
        "answers": float((easy + hard)[asked].mean()),
        "hard": float(hard[asked].mean()),
    }
