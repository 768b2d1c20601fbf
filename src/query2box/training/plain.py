"""A training step in straightforward eager PyTorch: what ours is measured against.

The same queries, the same loss, the same answer; distances by broadcasting over
(queries, negatives, dimensions), gradients by autograd, dense Adam.
"""

from __future__ import annotations

import torch
from torch import Tensor

from query2box.kernels.loss import LossShape
from query2box.kernels.reference import dist_box, query_losses
from query2box.model.embedding import QueryEmbedding
from query2box.training.batches import Batch


def plain_loss(model: QueryEmbedding, batch: Batch, shape: LossShape) -> Tensor:
    """The loss of a batch, structure after structure."""
    targets = batch.targets
    total = torch.zeros(())
    first = 0
    for part in batch.parts:
        queries = torch.arange(first, first + len(part.entities))
        boxes = model.boxes(part.skeleton, model.points[part.entities.long()], part.relations)
        center, offset = boxes.center[:, :, None], boxes.offset[:, :, None]  # [B, U, 1, D]
        negatives = targets.negatives[queries // targets.chunk].long()  # [B, K]
        positive = dist_box(
            model.points[targets.positives[queries].long()][:, None, None],
            center,
            offset,
            shape.alpha,
        )
        negative = dist_box(model.points[negatives][:, None], center, offset, shape.alpha)
        losses = query_losses(
            positive.amin((1, 2)),
            negative.amin(1),
            _masked(negatives, batch, first),
            gamma=shape.gamma,
            softmax_weight=shape.softmax,
            margin_weight=shape.margin,
            temperature=shape.temperature,
        )
        total = total + (targets.weights[queries] * losses).sum()
        first += len(part.entities)
    return total


def plain_step(
    model: QueryEmbedding, optimizer: torch.optim.Optimizer, batch: Batch, shape: LossShape
) -> float:
    """Update the model by one batch; gives the loss before the update."""
    optimizer.zero_grad()
    loss = plain_loss(model, batch, shape)
    loss.backward()  # type: ignore[no-untyped-call]
    optimizer.step()
    return float(loss.detach())


def _masked(negatives: Tensor, batch: Batch, first: int) -> Tensor:
    offsets, answers = batch.targets.answer_offsets, batch.targets.answers
    return torch.stack(
        [
            torch.isin(row, answers[offsets[q] : offsets[q + 1]])
            for q, row in enumerate(negatives, start=first)
        ]
    )
