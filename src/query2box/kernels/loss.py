"""One step's loss and gradients, by the fused kernel or by its torch twin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from query2box.kernels import reference


@dataclass(frozen=True)
class LossShape:
    """What the loss is made of.

    loss = softmax * cross-entropy of the positive against the negatives
         + margin * Eq. 4
    """

    alpha: float
    gamma: float
    softmax: float
    margin: float
    temperature: float = 0.0
    """Above 0, near negatives count more in Eq. 4 instead of 1 / k each."""
    negligible: float = 0.0
    """Pairs whose derivative is at most this are left out of the gradients."""


class Targets(NamedTuple):
    """What B queries are to be near to and far from."""

    positives: Tensor  # [B]
    negatives: Tensor  # [C, K], ascending in each row; each row serves `chunk` queries
    answer_offsets: Tensor  # [B + 1]
    answers: Tensor  # ragged, ascending in each query: negatives among them do not count
    weights: Tensor  # [B]
    chunk: int

    def to(self, device: torch.device) -> Targets:
        """The same on a device."""
        return Targets(
            self.positives.to(device),
            self.negatives.to(device),
            self.answer_offsets.to(device),
            self.answers.to(device),
            self.weights.to(device),
            self.chunk,
        )


class Gradients(NamedTuple):
    """The losses [B] and the derivatives of their sum."""

    losses: Tensor  # [B]
    centers: Tensor  # [M, D]
    offsets: Tensor  # [M, D]
    entities: Tensor  # [B + C * K, D], of the positives, then of the negatives


def box_loss(
    points: Tensor,  # [N, D]
    centers: Tensor,  # [M, D]
    offsets: Tensor,  # [M, D]
    starts: Tensor,  # [B + 1]
    targets: Targets,
    shape: LossShape,
    fused: bool | None = None,
) -> Gradients:
    """Distances, losses and gradients; `fused` is the default on the CPU."""
    if fused if fused is not None else points.device.type == "cpu":
        return _fused(points, centers, offsets, starts, targets, shape)
    return _plain(points, centers, offsets, starts, targets, shape)


def _fused(
    points: Tensor,
    centers: Tensor,
    offsets: Tensor,
    starts: Tensor,
    targets: Targets,
    shape: LossShape,
) -> Gradients:
    import numpy as np

    from query2box.kernels.box_loss import box_loss_kernel

    (num_queries,) = targets.positives.shape
    chunks, num_negatives = targets.negatives.shape
    dim = points.shape[1]
    found = Gradients(
        torch.empty(num_queries),
        torch.empty_like(centers),
        torch.empty_like(offsets),
        torch.empty(num_queries + chunks * num_negatives, dim),
    )
    box_loss_kernel(
        points.detach().numpy(),
        centers.detach().numpy(),
        offsets.detach().numpy(),
        starts.numpy(),
        targets.positives.numpy(),
        targets.negatives.numpy(),
        targets.answer_offsets.numpy(),
        targets.answers.numpy(),
        targets.weights.numpy(),
        targets.chunk,
        np.float32(shape.alpha),
        np.float32(shape.gamma),
        np.float32(shape.softmax),
        np.float32(shape.margin),
        np.float32(shape.temperature),
        np.float32(shape.negligible),
        found.losses.numpy(),
        found.centers.numpy(),
        found.offsets.numpy(),
        found.entities[:num_queries].numpy(),
        found.entities[num_queries:].view(chunks, num_negatives, dim).numpy(),
    )
    return found


def _plain(
    points: Tensor,
    centers: Tensor,
    offsets: Tensor,
    starts: Tensor,
    targets: Targets,
    shape: LossShape,
) -> Gradients:
    (num_queries,) = targets.positives.shape
    num_negatives = targets.negatives.shape[1]
    ids = torch.cat((targets.positives, targets.negatives.flatten())).long()
    rows = points.detach()[ids].requires_grad_()
    centers, offsets = centers.detach().requires_grad_(), offsets.detach().requires_grad_()
    losses = torch.empty(num_queries, device=points.device)
    for chunk, first in enumerate(range(0, num_queries, targets.chunk)):
        last = min(first + targets.chunk, num_queries)
        low, high = int(starts[first]), int(starts[last])
        own_starts = starts[first : last + 1] - low
        sizes = own_starts.diff()
        query = torch.arange(first, last, device=points.device).repeat_interleave(sizes)
        center, offset = centers[low:high], offsets[low:high]
        negative_rows = rows[num_queries:].view(-1, num_negatives, rows.shape[1])[chunk]
        positive = reference.dist_box(rows[query], center, offset, shape.alpha)
        negative = reference.dist_box(  # [m, K]
            negative_rows, center[:, None], offset[:, None], shape.alpha
        )
        masked = torch.stack(
            [
                torch.isin(
                    targets.negatives[chunk],
                    targets.answers[targets.answer_offsets[q] : targets.answer_offsets[q + 1]],
                )
                for q in range(first, last)
            ]
        )
        part = targets.weights[first:last] * reference.query_losses(
            reference.dist_agg(positive, own_starts),
            reference.dist_agg(negative, own_starts),
            masked,
            gamma=shape.gamma,
            softmax_weight=shape.softmax,
            margin_weight=shape.margin,
            temperature=shape.temperature,
        )
        part.sum().backward()
        losses[first:last] = part.detach()
    return Gradients(losses, *(gradient_of(leaf) for leaf in (centers, offsets, rows)))


def gradient_of(leaf: Tensor) -> Tensor:
    """What a backward pass left at a leaf that it may not have reached."""
    return torch.zeros_like(leaf) if leaf.grad is None else leaf.grad
