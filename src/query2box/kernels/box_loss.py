"""dist_box against shared negatives, the loss and all its gradients in one pass (CPU).

The distance of Query2box, Eq. 3, is separable: with t = |v - center| it is the
sum over dimensions of alpha * t + (1 - alpha) * max(t - offset, 0). Its gradient
needs only sign(v - center) and [t > offset], so nothing of size queries x
negatives x dimensions ever exists: a chunk of queries shares its negatives,
whose rows stay in cache while distances are summed, turned into derivatives of
the loss, and spread back.

`kernels.reference` says the same in a few lines of torch.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import prange

from query2box.kernels.compiled import arithmetic, parallel
from query2box.kernels.distance import box_distances

F = np.float32
FAR = F(1e30)
"""The distance of what must not count; finite, because sums may be taken in any order."""


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
def _spread(v, center, offset, alpha, weight, grad_v, grad_center, grad_offset):
    """Add weight * d dist_box / d (v, center, offset)."""
    inside = weight * alpha
    outside = weight * (F(1) - alpha)
    for d in range(center.shape[0]):
        t = v[d] - center[d]
        b = outside if abs(t) > offset[d] else F(0)
        s = inside + b if t > F(0) else -inside - b
        grad_v[d] += s
        grad_center[d] -= s
        grad_offset[d] -= b


@arithmetic
def _mask(negatives, answers, distances):
    """Put every negative that is an answer out of reach; both ids ascend."""
    if answers.shape[0] > negatives.shape[0]:
        for k in range(negatives.shape[0]):
            i = np.searchsorted(answers, negatives[k])
            if i < answers.shape[0] and answers[i] == negatives[k]:
                distances[k] = FAR
        return
    for i in range(answers.shape[0]):
        k = np.searchsorted(negatives, answers[i])
        while k < negatives.shape[0] and negatives[k] == answers[i]:
            distances[k] = FAR
            k += 1


@arithmetic
def _nearest_boxes(points, rows, centers, offsets, alpha, other, distance, nearest):
    """dist_agg (Eq. 5) of the given rows: the nearest of a query's boxes counts."""
    box_distances(points, rows, centers[0], offsets[0], alpha, distance)
    nearest[:] = 0
    for m in range(1, centers.shape[0]):
        box_distances(points, rows, centers[m], offsets[m], alpha, other)
        for k in range(rows.shape[0]):
            if other[k] < distance[k]:
                distance[k] = other[k]
                nearest[k] = m


@arithmetic
def _softmax_slopes(weight, positive, distance, slope):
    """Cross-entropy of the positive against the negatives.

    Gives the loss and its derivative by the positive's distance; adds those by
    the negatives' distances to `slope`.
    """
    closest = positive
    for k in range(distance.shape[0]):
        closest = min(closest, distance[k])
    positive_mass = math.exp(closest - positive)
    mass = positive_mass
    for k in range(distance.shape[0]):
        mass += math.exp(closest - distance[k])
    for k in range(distance.shape[0]):
        slope[k] -= weight * math.exp(closest - distance[k]) / mass
    loss = weight * (math.log(mass) + positive - closest)
    return loss, weight * (F(1) - positive_mass / mass)


@arithmetic
def _margin_slopes(weight, gamma, temperature, positive, distance, slope):
    """The same for the paper's loss (Eq. 4); a temperature makes near negatives count more."""
    closest = FAR
    for k in range(distance.shape[0]):
        closest = min(closest, distance[k])
    total = F(0)
    for k in range(distance.shape[0]):
        if distance[k] < FAR:
            total += math.exp(temperature * (closest - distance[k]))
    loss = weight * _softplus(positive - gamma)
    for k in range(distance.shape[0]):
        if distance[k] < FAR:
            share = weight * math.exp(temperature * (closest - distance[k])) / total
            loss += share * _softplus(gamma - distance[k])
            slope[k] -= share * _sigmoid(gamma - distance[k])
    return loss, weight * _sigmoid(positive - gamma)


@parallel
def box_loss_kernel(
    points,  # [N, D]
    centers,  # [M, D], M boxes: a query has one a disjunct
    offsets,  # [M, D]
    starts,  # [B + 1], query q has the boxes starts[q] : starts[q + 1]
    positives,  # [B]
    negatives,  # [C, K], ascending in each row; chunk c holds the queries c * chunk ...
    answer_offsets,  # [B + 1]
    answers,  # ragged, ascending in each query
    weights,  # [B]
    chunk,
    alpha,
    gamma,
    softmax_weight,
    margin_weight,
    temperature,
    negligible,
    losses,  # [B], out
    grad_centers,  # [M, D], out
    grad_offsets,  # [M, D], out
    grad_positives,  # [B, D], out
    grad_negatives,  # [C, K, D], out
):
    """Fill the losses and gradients of `kernels.loss.Gradients`."""
    num_queries = positives.shape[0]
    num_negatives = negatives.shape[1]
    for c in prange(negatives.shape[0]):
        rows = negatives[c]
        distance = np.empty(num_negatives, F)
        other = np.empty(num_negatives, F)
        nearest = np.empty(num_negatives, np.int64)
        slope = np.empty(num_negatives, F)
        near = np.empty(1, F)
        near_box = np.empty(1, np.int64)
        grad_negatives[c] = F(0)
        for q in range(c * chunk, min(num_queries, (c + 1) * chunk)):
            own = centers[starts[q] : starts[q + 1]]
            own_offsets = offsets[starts[q] : starts[q + 1]]
            grad_own = grad_centers[starts[q] : starts[q + 1]]
            grad_own_offsets = grad_offsets[starts[q] : starts[q + 1]]
            grad_own[:] = F(0)
            grad_own_offsets[:] = F(0)
            grad_positives[q] = F(0)

            at = positives[q : q + 1]
            _nearest_boxes(points, at, own, own_offsets, alpha, other, near, near_box)
            _nearest_boxes(points, rows, own, own_offsets, alpha, other, distance, nearest)
            _mask(rows, answers[answer_offsets[q] : answer_offsets[q + 1]], distance)

            slope[:] = F(0)
            loss = F(0)
            pull = F(0)
            if softmax_weight > F(0):
                part, more = _softmax_slopes(softmax_weight, near[0], distance, slope)
                loss += part
                pull += more
            if margin_weight > F(0):
                part, more = _margin_slopes(
                    margin_weight, gamma, temperature, near[0], distance, slope
                )
                loss += part
                pull += more
            losses[q] = weights[q] * loss

            m = near_box[0]
            _spread(
                points[at[0]],
                own[m],
                own_offsets[m],
                alpha,
                weights[q] * pull,
                grad_positives[q],
                grad_own[m],
                grad_own_offsets[m],
            )
            for k in range(num_negatives):
                if abs(slope[k]) > negligible:
                    m = nearest[k]
                    _spread(
                        points[rows[k]],
                        own[m],
                        own_offsets[m],
                        alpha,
                        weights[q] * slope[k],
                        grad_negatives[c, k],
                        grad_own[m],
                        grad_own_offsets[m],
                    )
