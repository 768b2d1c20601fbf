"""From ranks to figures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from query2box.workload.query_set import Ragged

HITS = (1, 3, 10)

FloatArray: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Ranks:
    """Where hard answers stand among the non-answers; a place for each, from 1.

    A tie can be broken in favour of the answer, against it, or not at all. The
    realistic rank is the mean of the other two, so a model that gives every
    entity one distance is ranked in the middle instead of first.
    """

    closer: npt.NDArray[np.int64]
    """Non-answers nearer to the query than the answer."""
    level: npt.NDArray[np.int64]
    """Non-answers just as near."""

    @property
    def optimistic(self) -> FloatArray:
        """The best place among equals."""
        return np.asarray(1 + self.closer, np.float64)

    @property
    def pessimistic(self) -> FloatArray:
        """The worst place among equals."""
        return np.asarray(1 + self.closer + self.level, np.float64)

    @property
    def realistic(self) -> FloatArray:
        """The mean of the best and the worst place."""
        return (self.optimistic + self.pessimistic) / 2


@dataclass(frozen=True)
class Metrics:
    """Mean reciprocal rank and the shares of answers in the first 1, 3 and 10 places."""

    mrr: float
    hits_1: float
    hits_3: float
    hits_10: float
    queries: int

    @classmethod
    def by_query(cls, ranks: FloatArray, hard: Ragged) -> Metrics:
        """The mean over each query's answers, then over queries (Query2box, Eq. 6)."""
        counts = hard.counts
        asked = counts > 0

        def mean(values: FloatArray) -> float:
            sums = np.bincount(hard.rows, values, len(hard))
            return float((sums[asked] / counts[asked]).mean()) if asked.any() else 0.0

        return cls._of(ranks, mean, int(asked.sum()))

    @classmethod
    def by_answer(cls, ranks: FloatArray) -> Metrics:
        """The mean over answers, the convention of link prediction (appendix C)."""
        return cls._of(
            ranks, lambda values: float(values.mean()) if len(values) else 0.0, len(ranks)
        )

    @classmethod
    def _of(cls, ranks: FloatArray, mean: Callable[[FloatArray], float], queries: int) -> Metrics:
        hits_1, hits_3, hits_10 = (mean((ranks <= k).astype(np.float64)) for k in HITS)
        return cls(mean(1 / ranks), hits_1, hits_3, hits_10, queries)

    @classmethod
    def mean(cls, parts: list[Metrics]) -> Metrics:
        """The mean over structures; queries add up."""
        if not parts:
            return cls(0.0, 0.0, 0.0, 0.0, 0)
        mrr, hits_1, hits_3, hits_10 = (
            sum(column) / len(parts)
            for column in zip(*(part.figures() for part in parts), strict=True)
        )
        return cls(mrr, hits_1, hits_3, hits_10, sum(part.queries for part in parts))

    def figures(self) -> tuple[float, float, float, float]:
        """MRR, H@1, H@3, H@10."""
        return self.mrr, self.hits_1, self.hits_3, self.hits_10

    def to_json(self) -> dict[str, float | int]:
        """As `q2b evaluate --json` prints them."""
        return {
            "mrr": self.mrr,
            **{f"hits@{k}": value for k, value in zip(HITS, self.figures()[1:], strict=True)},
            "queries": self.queries,
        }
