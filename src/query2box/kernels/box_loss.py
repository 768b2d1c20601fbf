"""dist_box against shared negatives, the loss and all its gradients in one pass (CPU).

The distance of Query2box, Eq. 3, is separable: with t = |v - center| it is the
sum over dimensions of alpha * t + (1 - alpha) * max(t - offset, 0). Its gradient
needs only sign(v - center) and [t > offset], so nothing of size queries x
negatives x dimensions ever exists: a chunk of queries shares its negatives,
whose rows stay in cache while distances are summed, turned into derivatives of
the loss, and spread back. Most negatives are far and have next to no derivative:
small ones are kept by chance (`thin_out`), so that spreading back costs little.

`kernels.reference` says the same in a few lines of torch.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from query2box.kernels.compiled import arithmetic, threaded
from query2box.kernels.distance import box_distances

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
def spread(v, center, offset, alpha, weight, grad_v, grad_center, grad_offset):
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
def _spread_four(points, rows, four, center, offset, alpha, weight, slope, grads, grad_box):
    """The same for four entities, which share what is read and written of the box."""
    k0, k1, k2, k3 = four[0], four[1], four[2], four[3]
    v0, v1, v2, v3 = points[rows[k0]], points[rows[k1]], points[rows[k2]], points[rows[k3]]
    g0, g1, g2, g3 = grads[k0], grads[k1], grads[k2], grads[k3]
    grad_center, grad_offset = grad_box
    beta = F(1) - alpha
    w0, w1, w2, w3 = weight * slope[k0], weight * slope[k1], weight * slope[k2], weight * slope[k3]
    i0, i1, i2, i3 = w0 * alpha, w1 * alpha, w2 * alpha, w3 * alpha
    o0, o1, o2, o3 = w0 * beta, w1 * beta, w2 * beta, w3 * beta
    for d in range(center.shape[0]):
        c = center[d]
        o = offset[d]
        t0, t1, t2, t3 = v0[d] - c, v1[d] - c, v2[d] - c, v3[d] - c
        b0 = o0 if abs(t0) > o else F(0)
        b1 = o1 if abs(t1) > o else F(0)
        b2 = o2 if abs(t2) > o else F(0)
        b3 = o3 if abs(t3) > o else F(0)
        s0 = i0 + b0 if t0 > F(0) else -i0 - b0
        s1 = i1 + b1 if t1 > F(0) else -i1 - b1
        s2 = i2 + b2 if t2 > F(0) else -i2 - b2
        s3 = i3 + b3 if t3 > F(0) else -i3 - b3
        g0[d] += s0
        g1[d] += s1
        g2[d] += s2
        g3[d] += s3
        grad_center[d] -= (s0 + s1) + (s2 + s3)
        grad_offset[d] -= (b0 + b1) + (b2 + b3)


@arithmetic
def _spread_all(points, rows, nearest, centers, offsets, alpha, weight, slope, grads, grad_boxes):
    """Spread the derivatives of all negatives, four of one box at a time."""
    grad_centers, grad_offsets = grad_boxes
    four = np.empty(4, np.int64)
    for m in range(centers.shape[0]):
        count = 0
        for k in range(rows.shape[0]):
            if slope[k] != F(0) and nearest[k] == m:
                four[count] = k
                count += 1
                if count == 4:
                    box = grad_centers[m], grad_offsets[m]
                    _spread_four(
                        points, rows, four, centers[m], offsets[m], alpha, weight, slope, grads, box
                    )
                    count = 0
        for k in four[:count]:
            spread(
                points[rows[k]],
                centers[m],
                offsets[m],
                alpha,
                weight * slope[k],
                grads[k],
                grad_centers[m],
                grad_offsets[m],
            )


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

    `own` is room for the weight of each negative.
    """
    closest = FAR
    highest = -FAR
    for k in range(distance.shape[0]):
        closest = min(closest, distance[k])
        highest = max(highest, shift[k])
    total = F(0)
    for k in range(distance.shape[0]):
        if distance[k] < FAR:
            total += math.exp(temperature * (closest - distance[k]) + shift[k] - highest)
    loss = F(0)
    share = weight / F(near.shape[0])
    for p in range(near.shape[0]):
        loss += share * _softplus(near[p] - gamma)
    for p in range(near.shape[0]):
        pull[p] += share * _sigmoid(near[p] - gamma)
    for k in range(distance.shape[0]):
        own[k] = F(0)
        if distance[k] < FAR:
            own[k] = math.exp(temperature * (closest - distance[k]) + shift[k] - highest)
            own[k] *= weight / total
            slope[k] -= own[k] * _sigmoid(gamma - distance[k])
    for k in range(distance.shape[0]):
        loss += own[k] * _softplus(gamma - distance[k])
    return loss


@arithmetic
def _loss(
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


@arithmetic
def thin_out(slope, least, start):
    """Keep derivatives below `least` by chance, raised to it: right on average, mostly zero.

    `start`, from 0 to 1, is the only chance in it: a running total of what was
    passed over lets one through each time it passes a whole number.
    """
    running = start
    for k in range(slope.shape[0]):
        size = abs(slope[k])
        if size < least:
            before = math.floor(running)
            running += size / least
            kept = least if math.floor(running) > before else F(0)
            slope[k] = kept if slope[k] > F(0) else -kept


@threaded
def box_loss_kernel(
    points,  # [N, D]
    centers,  # [M, D], M boxes: a query has one a disjunct
    offsets,  # [M, D]
    starts,  # [B + 1], query q has the boxes starts[q] : starts[q + 1]
    positives,  # [B, P]
    order,  # [B], chunk c holds the queries order[c * chunk : (c + 1) * chunk]
    negatives,  # [C, K], ascending in each row
    shifts,  # [C, K], log of how many entities each negative stands for
    answer_offsets,  # [B + 1]
    answers,  # ragged, ascending in each query
    own_offsets,  # [B + 1]
    own_negatives,  # ragged: more negatives, of one query alone
    sizes,  # [B], log of how many answers each query has
    weights,  # [B]
    chances,  # [B], from 0 to 1
    chunk,
    alpha,
    gamma,
    softmax_weight,
    margin_weight,
    temperature,
    evenness,
    level,
    least,
    own_shift,  # log of how many entities a query's own negatives stand for
    losses,  # [B], out
    heights,  # [B], out
    grad_centers,  # [M, D], out
    grad_offsets,  # [M, D], out
    grad_positives,  # [B, P, D], out
    grad_negatives,  # [C, K, D], out
    grad_own_negatives,  # ragged as own_negatives, out
):
    """Fill the losses and gradients of `kernels.loss.Gradients`."""
    num_queries, num_positives = positives.shape
    shared = negatives.shape[1]
    room = shared
    for q in range(num_queries):
        room = max(room, shared + own_offsets[q + 1] - own_offsets[q])
    all_distances = np.empty(room, F)
    all_shifts = np.full(room, own_shift)
    other = np.empty(max(room, num_positives), F)
    all_nearest = np.empty(room, np.int64)
    all_parts = np.empty(room, F)
    all_slopes = np.empty(room, F)
    near = np.empty(num_positives, F)
    near_box = np.empty(num_positives, np.int64)
    pull = np.empty(num_positives, F)
    for c in range(negatives.shape[0]):
        rows = negatives[c]
        all_shifts[:shared] = shifts[c]
        grad_negatives[c] = F(0)
        for q in order[c * chunk : min(num_queries, (c + 1) * chunk)]:
            boxes = centers[starts[q] : starts[q + 1]]
            widths = offsets[starts[q] : starts[q + 1]]
            grad_boxes = grad_centers[starts[q] : starts[q + 1]]
            grad_widths = grad_offsets[starts[q] : starts[q + 1]]
            grad_boxes[:] = F(0)
            grad_widths[:] = F(0)
            grad_positives[q] = F(0)

            _nearest_boxes(points, positives[q], boxes, widths, alpha, other, near, near_box)
            alone = own_negatives[own_offsets[q] : own_offsets[q + 1]]
            size = shared + alone.shape[0]
            distance, shift, nearest = all_distances[:size], all_shifts[:size], all_nearest[:size]
            part, slope = all_parts[:size], all_slopes[:size]
            own_answers = answers[answer_offsets[q] : answer_offsets[q + 1]]
            for low, some in ((0, rows), (shared, alone)):
                found = slice(low, low + some.shape[0])
                _nearest_boxes(
                    points, some, boxes, widths, alpha, other, distance[found], nearest[found]
                )
                _mask(some, own_answers, distance[found])

            losses[q], heights[q] = _loss(
                softmax_weight,
                margin_weight,
                gamma,
                temperature,
                evenness,
                level,
                sizes[q],
                near,
                distance,
                shift,
                part,
                pull,
                slope,
            )
            losses[q] *= weights[q]
            thin_out(slope, least, chances[q])

            for p in range(num_positives):
                m = near_box[p]
                spread(
                    points[positives[q, p]],
                    boxes[m],
                    widths[m],
                    alpha,
                    weights[q] * pull[p],
                    grad_positives[q, p],
                    grad_boxes[m],
                    grad_widths[m],
                )
            _spread_all(
                points,
                rows,
                nearest,
                boxes,
                widths,
                alpha,
                weights[q],
                slope,
                grad_negatives[c],
                (grad_boxes, grad_widths),
            )
            grad_alone = grad_own_negatives[own_offsets[q] : own_offsets[q + 1]]
            grad_alone[:] = F(0)
            _spread_all(
                points,
                alone,
                nearest[shared:],
                boxes,
                widths,
                alpha,
                weights[q],
                slope[shared:],
                grad_alone,
                (grad_boxes, grad_widths),
            )
