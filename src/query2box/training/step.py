"""One step: embed the queries, hold them against their answers, update.

A batch comes in shards. Each is computed by one thread from end to end, so that
threads need not wait for each other and what a shard needs stays in a core's
cache; the sums over shards do not depend on how many threads there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import compress, islice
from typing import NamedTuple

import torch
from torch import Tensor

from query2box.kernels.loss import LossShape, box_loss, level, relation_loss
from query2box.model.embedding import QueryEmbedding
from query2box.model.operators import Box
from query2box.training.batches import Batch, Shard
from query2box.training.config import TrainingConfig
from query2box.training.optimizer import Optimizer
from query2box.workload.parallel import map_threads


class Outcome(NamedTuple):
    """What a step saw before it updated the model."""

    loss: float
    level: float
    """The mean height of the queries (`kernels.loss.LossShape`)."""


class Losses(NamedTuple):
    """What became of a shard's queries (`kernels.loss.Gradients`)."""

    losses: Tensor  # [B + E]
    heights: Tensor  # [B]


def loss_shape(model: QueryEmbedding, config: TrainingConfig) -> LossShape:
    """The loss that a config asks for."""
    return LossShape(
        alpha=model.config.alpha,
        gamma=model.config.gamma,
        softmax=config.softmax,
        margin=config.margin,
        temperature=config.temperature,
        evenness=config.evenness,
        least=config.least,
        own=config.anchors or 1.0,
        relation=config.relation,
    )


def embed_shard(model: QueryEmbedding, shard: Shard, points: Tensor) -> tuple[Box, Tensor]:
    """The boxes of a shard: [M, D], and each query's first one [B + 1].

    `points` [A, D] are the rows of the anchors, in the order of `Shard.anchors`. Anchors and
    relations are gathered once for all parts, because each gather of its own would
    cost autograd a tensor of the whole table.
    """
    distinct, places = torch.unique(shard.relations, return_inverse=True)
    sizes = _slots([part.relations for part in shard.parts])
    steps = iter(
        model.relation_step(distinct).split(
            lambda rows: torch.split(rows.index_select(0, places), sizes)
        )
    )
    anchors = iter(torch.split(points, _slots([part.entities for part in shard.parts])))
    found = [
        model.boxes_of(
            part.skeleton,
            list(islice(anchors, part.entities.shape[1])),
            part.relations,
            list(islice(steps, part.relations.shape[1])),
        )
        for part in shard.parts
    ]
    counts = [0] + [box.center.shape[1] for box in found for _ in range(len(box.center))]
    centers = torch.cat([box.center.flatten(0, 1) for box in found])
    offsets = shard.opened(torch.cat([box.offset.flatten(0, 1) for box in found]))
    return Box(centers, offsets), torch.tensor(counts, device=centers.device).cumsum(0)


def _slots(tables: Sequence[Tensor]) -> list[int]:
    """How many rows each slot of tables [B, slots] has."""
    return [len(table) for table in tables for _ in range(table.shape[1])]


def shard_gradients(
    model: QueryEmbedding,
    parameters: Sequence[Tensor],
    shape: LossShape,
    shard: Shard,
    rows: Tensor,
) -> tuple[Losses, tuple[Tensor | None, ...]]:
    """The losses of a shard and their derivatives by the parameters.

    Those by the entities' points are written to `rows`, in the order of `Shard.rows`.
    """
    entities = model.points.detach()
    sizes = (len(shard.anchors), len(shard.targets.entities))
    anchor_rows, target_rows, link_rows = torch.split(rows, [*sizes, len(rows) - sum(sizes)])
    points = entities[shard.anchors].requires_grad_()
    boxes, starts = embed_shard(model, shard, points)
    found = box_loss(entities, *boxes, starts, shard.targets, shape, out=target_rows)
    losses, outputs = [found.losses], [*boxes]
    derivatives = [found.centers, found.offsets]
    if shard.links is not None:
        steps = model.steps_from_origin(shard.links.candidates)
        told = relation_loss(entities, *steps, shard.links, shape, out=link_rows)
        losses.append(told.losses)
        outputs += steps
        derivatives += [told.centers, told.offsets, told.stretches]
    # Points have no offset to learn, and then there is nothing to go back through.
    learnt = [output.requires_grad for output in outputs]
    gradient, *others = torch.autograd.grad(
        list(compress(outputs, learnt)),
        (points, *parameters),
        list(compress(derivatives, learnt)),
        allow_unused=True,
    )
    anchor_rows[:] = gradient
    return Losses(torch.cat(losses), found.heights), tuple(others)


def train_step(
    model: QueryEmbedding,
    optimizer: Optimizer,
    batch: Batch,
    shape: LossShape,
    rate: float,
    threads: int = 1,
) -> Outcome:
    """Update the model by one batch."""
    rows = batch.rows
    gradients = optimizer.room(len(rows))
    sections = torch.split(gradients, [len(shard.rows) for shard in batch.shards])

    def work(number: int) -> tuple[Losses, tuple[Tensor | None, ...]]:
        torch.set_num_threads(1)  # of this very thread; numba's kernels set it anew
        return shard_gradients(
            model, optimizer.parameters, shape, batch.shards[number], sections[number]
        )

    before = torch.get_num_threads()
    found = map_threads(work, range(len(batch.shards)), threads)
    torch.set_num_threads(before)
    for number, parameter in enumerate(optimizer.parameters):
        own = [part for _, parts in found if (part := parts[number]) is not None]
        parameter.grad = reduce(Tensor.add_, own) if own else torch.zeros_like(parameter)
    optimizer.step(rows, gradients, rate)
    losses, heights = (torch.cat(parts) for parts in zip(*(own for own, _ in found), strict=True))
    return Outcome(float(losses.sum()), level(heights))
