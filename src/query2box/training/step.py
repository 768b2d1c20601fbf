"""One step: embed the queries, hold them against their answers, update."""

from __future__ import annotations

import torch
from torch import Tensor

from query2box.kernels.loss import LossShape, box_loss, gradient_of
from query2box.model.embedding import QueryEmbedding
from query2box.model.operators import Box
from query2box.training.batches import Batch
from query2box.training.config import TrainingConfig
from query2box.training.optimizer import Optimizer


def loss_shape(model: QueryEmbedding, config: TrainingConfig) -> LossShape:
    """The loss that a config asks for."""
    return LossShape(
        alpha=model.config.alpha,
        gamma=model.config.gamma,
        softmax=config.softmax,
        margin=config.margin,
        temperature=config.temperature,
        negligible=config.negligible,
    )


def embed_batch(model: QueryEmbedding, batch: Batch, points: Tensor) -> tuple[Box, Tensor]:
    """The boxes of a batch: [M, D], and each query's first one [B + 1].

    `points` [A, D] are the rows of the anchors, part after part: one gather for
    the whole step, because each gather of its own would cost autograd a tensor
    of the whole table.
    """
    found: list[Box] = []
    sections = torch.split(points, [part.entities.numel() for part in batch.parts])
    for part, section in zip(batch.parts, sections, strict=True):
        anchors = section.view(*part.entities.shape, -1)
        found.append(model.boxes(part.skeleton, anchors, part.relations))
    counts = [0] + [box.center.shape[1] for box in found for _ in range(len(box.center))]
    centers = torch.cat([box.center.flatten(0, 1) for box in found])
    offsets = torch.cat([box.offset.flatten(0, 1) for box in found])
    return Box(centers, offsets), torch.tensor(counts, device=centers.device).cumsum(0)


def train_step(
    model: QueryEmbedding, optimizer: Optimizer, batch: Batch, shape: LossShape, rate: float
) -> float:
    """Update the model by one batch; gives the loss before the update."""
    anchors = torch.cat([part.entities.flatten() for part in batch.parts]).long()
    points = model.points.detach()[anchors].requires_grad_()
    boxes, starts = embed_batch(model, batch, points)
    found = box_loss(model.points.detach(), *boxes, starts, batch.targets, shape)
    # Points have no offset to learn, and then there is nothing to go back through.
    learnt = 1 + boxes.offset.requires_grad
    torch.autograd.backward(boxes[:learnt], (found.centers, found.offsets)[:learnt])
    rows = torch.cat((anchors, batch.targets.positives, batch.targets.negatives.flatten()))
    optimizer.step(rows, torch.cat((gradient_of(points), found.entities)), rate)
    return float(found.losses.sum())
