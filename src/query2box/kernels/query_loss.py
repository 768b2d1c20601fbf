"""A query's loss from its distances, and its derivatives by them (CPU).

`kernels.reference` says the same in a few lines of torch.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from query2box.kernels.compiled import arithmetic

F = np.float32
FAR = F(1e30)
"""The distance of what must not count; finite, because sums may be taken in any order."""
NOTHING = F(-30)
"""Negatives this much farther than the nearest have no part in the loss that a float can show."""


@arithmetic
def _softplus(x: Any) -> Any:
    """log(1 + exp(x)), which is -log sigmoid(-x)."""
    if x > F(0):
        return x + math.log1p(math.exp(-x))
    return F(math.log1p(math.exp(x)))


@arithmetic
def _sigmoid(x: Any) -> Any:
    if x >= F(0):
        return F(1) / (F(1) + math.exp(-x))
    e = math.exp(x)
    return e / (F(1) + e)


@arithmetic
def _mass(distance, shift, part):
    """log of the sum over negatives of exp(shift - distance), and the part of each in the sum."""
    closest = FAR
    for k in range(distance.shape[0]):
        closest = min(closest, distance[k] - shift[k])
    for k in range(distance.shape[0]):
        behind = closest - (distance[k] - shift[k])
        part[k] = math.exp(behind) if behind > NOTHING else F(0)
    total = F(0)
    for k in range(distance.shape[0]):
        total += part[k]
    for k in range(distance.shape[0]):
        part[k] /= total
    return math.log(total) - closest


@arithmetic
def _cross_entropy(weight, mass, near, pull):
    """Cross-entropy of each positive against all negatives, in the mean over positives.

    Adds its derivatives by the positives' distances to `pull`; gives the loss and
    its derivative by the mass of the negatives.
    """
    share = weight / F(near.shape[0])
    loss = F(0)
    push = F(0)
    for p in range(near.shape[0]):
        # log(1 + exp(mass + near)): the positive's own part is left after division.
        loss += share * _softplus(mass + near[p])
        push += share * _sigmoid(mass + near[p])
    for p in range(near.shape[0]):
        pull[p] += share * _sigmoid(mass + near[p])
    return loss, push


@arithmetic
def _margin_slopes(weight, gamma, temperature, near, distance, shift, own, pull, slope):
    """The same for the paper's loss (Eq. 4); a temperature makes near negatives count more.

    `own` is room for the weight of each negative, and then for its part of the loss.
    """
    closest = FAR
    highest = -FAR
    for k in range(distance.shape[0]):
        closest = min(closest, distance[k])
        highest = max(highest, shift[k])
    for k in range(distance.shape[0]):
        own[k] = F(0)
        if distance[k] < FAR:
            own[k] = math.exp(temperature * (closest - distance[k]) + shift[k] - highest)
    total = F(0)
    for k in range(distance.shape[0]):
        total += own[k]
    loss = F(0)
    share = weight / F(near.shape[0])
    for p in range(near.shape[0]):
        loss += share * _softplus(near[p] - gamma)
    for p in range(near.shape[0]):
        pull[p] += share * _sigmoid(near[p] - gamma)
    for k in range(distance.shape[0]):
        if own[k] > F(0):
            own[k] *= weight / total
            x = gamma - distance[k]
            e = math.exp(-abs(x))  # of which are made both the sigmoid and the softplus of x
            slope[k] -= own[k] * ((F(1) if x > F(0) else e) / (F(1) + e))
            own[k] *= max(x, F(0)) + math.log1p(e)
    for k in range(distance.shape[0]):
        loss += own[k]
    return loss


@arithmetic
def query_loss(
    softmax_weight,
    margin_weight,
    gamma,
    temperature,
    evenness,
    level,
    log_answers,
    near,
    distance,
    shift,
    part,
    pull,
    slope,
):
    """A query's loss and height; fills its derivatives by the positives' and negatives' distances.

    `part` is room for the part of each negative in their mass.
    """
    pull[:] = F(0)
    loss = F(0)
    push = F(0)
    mass = _mass(distance, shift, part)
    height = mass - log_answers
    if softmax_weight > F(0):
        loss, push = _cross_entropy(softmax_weight, mass, near, pull)
    if evenness > F(0) and mass > -FAR / F(2):  # some negative counts
        away = height - level
        loss += F(0.5) * evenness * away * away
        push += evenness * away
    for k in range(distance.shape[0]):
        slope[k] = -push * part[k]
    if margin_weight > F(0):
        loss += _margin_slopes(
            margin_weight, gamma, temperature, near, distance, shift, part, pull, slope
        )
    return loss, height
