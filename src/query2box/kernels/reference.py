"""The kernels again, in plain torch: what they mean, and what a GPU runs."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import softplus


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
    positive: Tensor,  # [B]
    negative: Tensor,  # [B, K]
    masked: Tensor,  # [B, K], true where a negative is an answer
    *,
    gamma: float,
    softmax_weight: float,
    margin_weight: float,
    temperature: float,
) -> Tensor:
    """The loss of each query from its distances -> [B]."""
    negative = negative.masked_fill(masked, torch.inf)
    logits = -torch.cat((positive[:, None], negative), 1)
    cross_entropy = torch.logsumexp(logits, 1) + positive
    # Eq. 4; -log sigmoid(x) is softplus(-x)
    if temperature > 0:
        share = torch.softmax(-temperature * negative.detach(), 1).nan_to_num(0)
    else:
        kept = ~masked
        share = kept / kept.sum(1, keepdim=True).clamp_min(1)
    away = torch.where(masked, 0, softplus(gamma - negative.masked_fill(masked, 0)))
    margin = softplus(positive - gamma) + (share * away).sum(1)
    return softmax_weight * cross_entropy + margin_weight * margin
