"""dist_box against shared negatives, the loss and all its gradients in one pass (CPU).

The distance of Query2box, Eq. 3, is separable: with t = |v - center| it is the
sum over dimensions of alpha * t + (1 - alpha) * max(t - offset, 0). Its gradient
needs only sign(v - center) and [t > offset], so nothing of size queries x
negatives x dimensions ever exists: a chunk of queries shares its negatives,
whose rows stay in cache while distances are summed, turned into derivatives of
the loss, and spread back. Most negatives are far and have next to no derivative:
small ones are kept by chance (`kernels.spreading`).

`kernels.reference` says the same in a few lines of torch.
"""

from __future__ import annotations

import numpy as np

from query2box.kernels.compiled import arithmetic, threaded
from query2box.kernels.distance import box_distances
from query2box.kernels.query_loss import FAR, query_loss
from query2box.kernels.spreading import spread, spread_all, thin_out

F = np.float32


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

            losses[q], heights[q] = query_loss(
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
            spread_all(
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
            spread_all(
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
