"""A training step in straightforward eager PyTorch: what ours is measured against.

The same queries, the same loss, the same answer; distances by broadcasting over
(queries, negatives, dimensions), gradients by autograd, dense Adam.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from query2box.kernels.loss import Links, LossShape, masked_answers, other_relations, own_places
from query2box.kernels.reference import dist_box, query_losses, relation_losses
from query2box.model.embedding import QueryEmbedding
from query2box.model.operators import Box
from query2box.training.batches import Batch, Shard


def plain_loss(model: QueryEmbedding, batch: Batch, shape: LossShape) -> Tensor:
    """The loss of a batch, shard after shard."""
    return torch.stack([_shard_loss(model, shard, shape) for shard in batch.shards]).sum()


def _shard_loss(model: QueryEmbedding, shard: Shard, shape: LossShape) -> Tensor:
    """The loss of a shard, structure after structure."""
    targets = shard.targets
    chunk_of = torch.empty_like(targets.order)
    chunk_of[targets.order] = torch.arange(len(targets.order)) // targets.chunk
    places, there = own_places(targets)
    total = torch.zeros(())
    first = 0
    for boxes in _boxes(model, shard):
        queries = torch.arange(first, first + len(boxes.center))
        center, offset = boxes.center[:, :, None], boxes.offset[:, :, None]  # [B, U, 1, D]
        positives = targets.positives[queries].long()  # [B, P]
        own = targets.own_negatives[places[queries]]  # [B, A]
        negatives = torch.cat((targets.negatives[chunk_of[queries]], own), 1).long()
        shifts = torch.cat(
            (targets.shifts[chunk_of[queries]], torch.full(own.shape, math.log(shape.own))), 1
        )
        masked = masked_answers(targets, negatives, queries)
        masked[:, targets.negatives.shape[1] :] |= ~there[queries]
        positive, negative = (
            dist_box(model.points[ids][:, None], center, offset, shape.alpha).amin(1)
            for ids in (positives, negatives)
        )
        losses, _ = query_losses(
            positive,
            negative,
            shifts,
            masked,
            targets.sizes[queries],
            shape,
        )
        total = total + (targets.weights[queries] * losses).sum()
        first += len(queries)
    if shard.links is not None:
        total = total + _link_loss(model, shard.links, shape)
    return total


def _boxes(model: QueryEmbedding, shard: Shard) -> list[Box]:
    """The boxes of each part's queries [B, U, D]."""
    found = [
        model.boxes(part.skeleton, model.points[part.entities.long()], part.relations)
        for part in shard.parts
    ]
    offsets = shard.opened(torch.cat([box.offset.flatten(0, 1) for box in found]))
    own = torch.split(offsets, [box.offset.shape[:2].numel() for box in found])
    return [Box(box.center, part.view_as(box.center)) for box, part in zip(found, own, strict=True)]


def _link_loss(model: QueryEmbedding, links: Links, shape: LossShape) -> Tensor:
    """How well relations are told apart."""
    losses = relation_losses(
        model.points[links.heads.long()],
        model.points[links.tails.long()],
        *model.steps_from_origin(links.candidates),
        links.relations.long(),
        other_relations(links),
        shape.alpha,
    )
    return shape.relation * (links.weights * losses).sum()


def plain_step(
    model: QueryEmbedding, optimizer: torch.optim.Optimizer, batch: Batch, shape: LossShape
) -> float:
    """Update the model by one batch; gives the loss before the update."""
    optimizer.zero_grad()
    loss = plain_loss(model, batch, shape)
    loss.backward()  # type: ignore[no-untyped-call]
    optimizer.step()
    return float(loss.detach())
