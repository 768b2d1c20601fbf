"""What is in a batch of training."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import torch

from query2box.query.nodes import Query
from query2box.query.skeleton import instantiate
from query2box.training.batches import Batch


def queries(batch: Batch) -> Iterator[Query]:
    for shard in batch.shards:
        for part in shard.parts:
            for entities, relations in zip(part.entities, part.relations, strict=True):
                yield instantiate(part.skeleton, entities.tolist(), relations.tolist())


def answers(batch: Batch) -> list[list[int]]:
    found = []
    for shard in batch.shards:
        offsets = shard.targets.answer_offsets.tolist()
        values = shard.targets.answers.tolist()
        found += [values[a:b] for a, b in pairwise(offsets)]
    return found


def positives(batch: Batch) -> list[list[int]]:
    return [row for shard in batch.shards for row in shard.targets.positives.tolist()]


def weights(batch: Batch) -> torch.Tensor:
    return torch.cat([shard.targets.weights for shard in batch.shards])


def same(one: Batch, other: Batch) -> bool:
    return list(queries(one)) == list(queries(other)) and all(
        torch.equal(a, b)
        for mine, yours in zip(one.shards, other.shards, strict=True)
        for a, b in zip(mine.targets[1:], yours.targets[1:], strict=True)
    )
