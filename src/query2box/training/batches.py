"""What each step trains on: a function of the seed and the step's number alone.

So a resumed run sees the batches that an unbroken one would have seen.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from query2box.graph.adjacency import Adjacency
from query2box.kernels.loss import Targets
from query2box.query.nodes import Query
from query2box.query.skeleton import structure
from query2box.training.config import TrainingConfig
from query2box.workload.plan import DIRECTIONS
from query2box.workload.query_set import QueryGroup, Ragged


@dataclass(frozen=True)
class Part:
    """Queries of one skeleton, ready to be embedded."""

    skeleton: Query
    entities: torch.Tensor  # [B, anchors]
    relations: torch.Tensor  # [B, projections]


@dataclass(frozen=True)
class Batch:
    """The queries of a step, part after part, and what they are to be near to."""

    parts: tuple[Part, ...]
    targets: Targets

    def to(self, device: torch.device) -> Batch:
        """The same batch on a device."""
        if device.type == "cpu":
            return self
        parts = (
            Part(part.skeleton, part.entities.to(device), part.relations.to(device))
            for part in self.parts
        )
        return Batch(tuple(parts), self.targets.to(device))


class Batches:
    """Draws batches from pools of sampled queries."""

    def __init__(
        self, adjacency: Adjacency, config: TrainingConfig, seed: int, threads: int = 2
    ) -> None:
        self.adjacency = adjacency
        self.config = config
        self.seed = seed
        self.threads = threads
        self.skeletons = {name: structure(name) for name in config.structures}
        self._pool: tuple[int, tuple[QueryGroup, ...]] = (-1, ())

    def batch(self, step: int) -> Batch:
        """The batch of a step."""
        config = self.config
        rounds = -(-config.pool // config.batch_size)  # batches that use a pool once
        turn, place = divmod(step, rounds)
        pool = self._pool_of(turn // config.reuse)
        generator = np.random.default_rng((self.seed, 1, step))
        groups = []
        for number, group in enumerate(pool):
            order = np.random.default_rng((self.seed, 2, turn, number)).permutation(len(group))
            rows = np.arange(place * config.batch_size, (place + 1) * config.batch_size)
            groups.append(group.take(order[rows % len(order)]))
        return Batch(tuple(map(_part, groups)), self._targets(groups, generator))

    def _pool_of(self, number: int) -> tuple[QueryGroup, ...]:
        if self._pool[0] != number:
            groups = (
                self._sample(skeleton, _seed(self.seed, number, index))
                for index, skeleton in enumerate(self.skeletons.values())
            )
            self._pool = number, tuple(groups)
        return self._pool[1]

    def _sample(self, skeleton: Query, seed: int) -> QueryGroup:
        """As many queries as a pool holds, in equal parts where both directions are wanted."""
        from query2box.workload.sampler import sample_queries

        wanted = self.config.direction
        directions = DIRECTIONS if wanted == "both" else (wanted,)
        size = -(-self.config.pool // len(directions))
        return QueryGroup.concatenate(
            [
                sample_queries(
                    self.adjacency,
                    skeleton,
                    size,
                    seed,
                    direction=direction,
                    threads=self.threads,
                )
                for direction in directions
            ]
        )

    def _targets(self, groups: list[QueryGroup], generator: np.random.Generator) -> Targets:
        config = self.config
        answers = Ragged.concatenate([group.easy for group in groups])
        counts = answers.counts
        chosen = answers.offsets[:-1] + (generator.random(len(counts)) * counts).astype(np.int64)
        positives = answers.values[chosen]
        chunks = -(-len(counts) // config.chunk)
        negatives = generator.integers(
            0, self.adjacency.num_entities, (chunks, config.num_negatives), np.int32
        )
        negatives.sort(axis=1)
        weights = np.ones(len(counts), np.float32)
        if config.weighting == "answers":
            weights = (1 / np.sqrt(4 + counts)).astype(np.float32)
        weights /= weights.sum()
        if not config.filter_negatives:
            # The positive alone stands for the answers.
            answers = Ragged.from_counts(np.ones(len(counts)), positives)
        return Targets(
            torch.from_numpy(positives),
            torch.from_numpy(negatives),
            torch.from_numpy(answers.offsets),
            torch.from_numpy(answers.values),
            torch.from_numpy(weights),
            config.chunk,
        )


def _part(group: QueryGroup) -> Part:
    return Part(
        group.skeleton,
        torch.from_numpy(group.entities),
        torch.from_numpy(group.relations),
    )


def _seed(*numbers: int) -> int:
    """One seed from several numbers."""
    return int(np.random.SeedSequence(numbers).generate_state(1, np.uint64)[0] >> 1)
