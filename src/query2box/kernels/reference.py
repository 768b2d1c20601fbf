"""The kernels again, in plain torch: what they mean, and what a GPU runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, softplus

if TYPE_CHECKING:
    from query2box.kernels.loss import LossShape

LOW = 1e30
"""Where the mass of no negatives at all lies, below 0."""


def dist_box(points: Tensor, center: Tensor, offset: Tensor, alpha: float) -> Tensor:
    """Distance of entities to boxes (Query2box, Eq. 3), summed over the last dimension."""
    distance = (points - center).abs()
    outside = (distance - offset).clamp_min(0)  # dist_outside, a dimension at a time
    inside = torch.minimum(distance, offset)  # dist_inside
    return (outside + alpha * inside).sum(-1)


def dist_agg(distances: Tensor, starts: Tensor) -> Tensor:
    """The smallest distance over the boxes of each query (Query2box, Eq. 5).

    distances [M, ...], boxes of query q at starts[q] : starts[q + 1] -> [B, ...]
    """
    sizes = starts.diff()
    if bool((sizes == 1).all()):
        return distances
    query = torch.arange(len(sizes), device=distances.device).repeat_interleave(sizes)
    index = query.view(-1, *[1] * (distances.dim() - 1)).expand_as(distances)
    empty = distances.new_full((len(sizes), *distances.shape[1:]), torch.inf)
    return empty.scatter_reduce(0, index, distances, "amin")


def query_losses(
    positive: Tensor,  # [B, P]
    negative: Tensor,  # [B, K]
    shift: Tensor,  # [B, K], log of how many entities each negative stands for
    masked: Tensor,  # [B, K], true where a negative is an answer
    size: Tensor,  # [B], log of how many answers there are
    shape: LossShape,
) -> tuple[Tensor, Tensor]:
    """The loss of each query from its distances, and its height -> [B], [B]."""
    far = negative.masked_fill(masked, torch.inf)
    there = ~masked.all(1)
    mass = torch.logsumexp(torch.where(there[:, None], shift - far, -LOW), 1)
    against = softplus(mass[:, None] + positive).mean(1)
    # Eq. 4; -log sigmoid(x) is softplus(-x)
    near = (shift - shape.temperature * far if shape.temperature else shift.expand_as(far)).detach()
    share = torch.softmax(near.masked_fill(masked, -torch.inf), 1).nan_to_num(0)
    away = torch.where(masked, 0, softplus(shape.gamma - negative.masked_fill(masked, 0)))
    margin = softplus(positive - shape.gamma).mean(1) + (share * away).sum(1)
    height = mass - size
    spring = torch.where(there, height - shape.level, 0) ** 2 / 2
    loss = shape.softmax * against + shape.margin * margin + shape.evenness * spring
    return loss, height


def relation_losses(
    heads: Tensor,  # [E, D]
    tails: Tensor,  # [E, D]
    centers: Tensor,  # [C, D], the boxes of relations around the origin
    offsets: Tensor,  # [C, D]
    stretches: Tensor,  # [C, D], what relations multiply heads by
    relations: Tensor,  # [E]
    masked: Tensor,  # [E, C], true where another relation leads from head to tail as well
    alpha: float,
) -> Tensor:
    """Cross-entropy of each edge's relation against the others -> [E]."""
    ways = tails[:, None] - heads[:, None] * stretches
    distances = dist_box(ways, centers, offsets, alpha).masked_fill(masked, torch.inf)
    return cross_entropy(-distances, relations, reduction="none")
