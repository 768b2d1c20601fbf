"""What each step trains on: a function of the seed and the step's number alone.

So a resumed run sees the batches that an unbroken one would have seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import torch

from query2box.graph.adjacency import Adjacency, IntArray
from query2box.kernels.loss import Links, Targets
from query2box.query.nodes import Query
from query2box.query.skeleton import structure
from query2box.training.config import TrainingConfig
from query2box.training.links import EdgeSampler
from query2box.training.negatives import Negatives
from query2box.workload.plan import DIRECTIONS
from query2box.workload.query_set import QueryGroup, Ragged

SHARDS = 4
"""Parts of a batch; fixed, so that results do not depend on the number of threads."""
ENDLESS = 1e30
"""Half the width of a box where it is open."""


@dataclass(frozen=True)
class Part:
    """Queries of one skeleton, ready to be embedded."""

    skeleton: Query
    entities: torch.Tensor  # [B, anchors]
    relations: torch.Tensor  # [B, projections]


@dataclass(frozen=True)
class Shard:
    """Queries, part after part, and what they are to be near to."""

    parts: tuple[Part, ...]
    targets: Targets
    links: Links | None = None
    open: float = 0.0
    """`TrainingConfig.open`."""
    seed: int = 0
    """Of what the step itself leaves to chance."""

    def opened(self, offsets: torch.Tensor) -> torch.Tensor:
        """The offsets of the shard's boxes [M, D] with some dimensions left open."""
        if not self.open:
            return offsets
        generator = torch.Generator().manual_seed(self.seed)
        chosen = torch.rand(offsets.shape, generator=generator) < self.open
        return torch.where(chosen.to(offsets.device), ENDLESS, offsets)

    @cached_property
    def anchors(self) -> torch.Tensor:
        """The entities that the queries start from, slot after slot of part after part [A]."""
        return torch.cat([part.entities.T.flatten() for part in self.parts]).long()

    @cached_property
    def relations(self) -> torch.Tensor:
        """The relations of the queries, in the same order."""
        return torch.cat([part.relations.T.flatten() for part in self.parts])

    @cached_property
    def rows(self) -> torch.Tensor:
        """The entities that a step changes: the anchors, then the targets', the links' [G]."""
        links = () if self.links is None else (self.links.entities,)
        return torch.cat((self.anchors, self.targets.entities, *links))

    def to(self, device: torch.device) -> Shard:
        """The same on a device."""
        parts = (
            Part(part.skeleton, part.entities.to(device), part.relations.to(device))
            for part in self.parts
        )
        links = self.links and self.links.to(device)
        return replace(self, parts=tuple(parts), targets=self.targets.to(device), links=links)


@dataclass(frozen=True)
class Batch:
    """The queries of a step, in shards that can be worked on at the same time."""

    shards: tuple[Shard, ...]

    @cached_property
    def rows(self) -> torch.Tensor:
        """The entities that a step changes, shard after shard [G]."""
        return torch.cat([shard.rows for shard in self.shards])

    def to(self, device: torch.device) -> Batch:
        """The same batch on a device."""
        if device.type == "cpu":
            return self
        return Batch(tuple(shard.to(device) for shard in self.shards))


class Batches:
    """Draws batches from pools of sampled queries."""

    def __init__(
        self,
        adjacency: Adjacency,
        config: TrainingConfig,
        seed: int,
        threads: int = 2,
        shards: int = SHARDS,
    ) -> None:
        self.adjacency = adjacency
        self.config = config
        self.seed = seed
        self.threads = threads
        self.shards = shards
        self.negatives = Negatives(adjacency, config.num_negatives, config.near, config.chunk)
        self.edges = EdgeSampler(adjacency)
        self.skeletons = [structure(name) for name in config.sizes]
        self._pool: tuple[int, tuple[QueryGroup, ...]] = (-1, ())

    def batch(self, step: int) -> Batch:
        """The batch of a step."""
        config = self.config
        sizes = config.sizes.values()
        rounds = -(-config.pool // max(sizes))  # batches that use a pool once
        turn, place = divmod(step, rounds)
        pool = self._pool_of(turn // config.reuse)
        groups: list[QueryGroup] = []
        for number, (group, size) in enumerate(zip(pool, sizes, strict=True)):
            order = np.random.default_rng((self.seed, 2, turn, number)).permutation(len(group))
            rows = np.arange(place * size, (place + 1) * size)
            groups.append(group.take(order[rows % len(order)]))
        shards = [
            self._shard(own, step, number) for number, own in enumerate(self._sharded(groups))
        ]
        total = sum(shard.targets.weights.sum() for shard in shards)
        for shard in shards:
            shard.targets.weights.div_(total)
        return Batch(tuple(shards))

    def _sharded(self, groups: list[QueryGroup]) -> Iterator[list[QueryGroup]]:
        """The queries in equal shards, those that end with the same relation together."""
        last = np.concatenate([self.negatives.last_relations(group) for group in groups])
        size = -(-len(last) // (self.shards * self.config.chunk)) * self.config.chunk
        shard_of = np.empty(len(last), np.int64)
        # Of queries that end alike, every shard gets some of each structure.
        places = np.concatenate([np.arange(len(group)) for group in groups])
        shard_of[np.lexsort((places, last))] = np.arange(len(last)) // size
        ends = np.cumsum([len(group) for group in groups])
        for shard in range(shard_of.max() + 1):
            rows = [np.flatnonzero(part == shard) for part in np.split(shard_of, ends[:-1])]
            yield [g.take(r) for g, r in zip(groups, rows, strict=True) if len(r)]

    def _pool_of(self, number: int) -> tuple[QueryGroup, ...]:
        if self._pool[0] != number:
            groups = (
                self._sample(skeleton, _seed(self.seed, number, index))
                for index, skeleton in enumerate(self.skeletons)
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
                    starts=self.config.starts if direction == "forward" else "entities",
                )
                for direction in directions
            ]
        )

    def _shard(self, groups: list[QueryGroup], step: int, number: int) -> Shard:
        config = self.config
        generator = np.random.default_rng((self.seed, 1, step, number))
        answers = Ragged.concatenate([group.easy for group in groups])
        counts = answers.counts
        positives = _draw(answers, config.positives, generator)
        order, negatives, shifts = self.negatives.draw(groups, _seed(self.seed, 3, step, number))
        weights = np.ones(len(counts), np.float32)
        if config.weighting == "answers":
            weights = (1 / np.sqrt(4 + counts)).astype(np.float32)
        anchors = Ragged.empty(len(counts))
        if config.anchors:
            anchors = Ragged.concatenate(list(map(_anchors, groups)))
        if not config.filter_negatives:
            # The positives alone stand for the answers.
            answers = Ragged.from_counts(
                np.full(len(counts), config.positives), np.sort(positives).ravel()
            )
        arrays = (
            positives,
            order,
            negatives,
            shifts,
            answers.offsets,
            answers.values,
            anchors.offsets,
            anchors.values,
            np.log(counts).astype(np.float32),
            weights,
            generator.random(len(counts), np.float32),
        )
        targets = Targets(config.chunk, *map(torch.from_numpy, arrays))
        return Shard(
            tuple(map(_part, groups)),
            targets,
            self._links(generator),
            config.open,
            _seed(self.seed, 4, step, number),
        )

    def _links(self, generator: np.random.Generator) -> Links | None:
        """A shard's part of the edges whose relations are to be told."""
        if not self.config.relation:
            return None
        count = -(-self.config.edges // self.shards)
        return self.edges.draw(count, 1 / self.shards, generator)


def _draw(answers: Ragged, count: int, generator: np.random.Generator) -> IntArray:
    """So many answers of each query, each as likely as the others; distinct where there are enough.

    They lie as far apart in the row as they can, after a first one drawn at random.
    """
    counts = answers.counts[:, None]
    place = (generator.random((len(answers), 1)) * counts).astype(np.int64)
    place = (place + np.arange(count) * counts // count) % counts
    drawn: IntArray = answers.values[answers.offsets[:-1, None] + place]
    return drawn


def _anchors(group: QueryGroup) -> Ragged:
    """The anchors of each query, ascending."""
    count = group.entities.shape[1]
    return Ragged.from_counts(np.full(len(group), count), np.sort(group.entities, 1).ravel())


def _part(group: QueryGroup) -> Part:
    return Part(
        group.skeleton,
        torch.from_numpy(group.entities),
        torch.from_numpy(group.relations),
    )


def _seed(*numbers: int) -> int:
    """One seed from several numbers."""
    return int(np.random.SeedSequence(numbers).generate_state(1, np.uint64)[0] >> 1)
