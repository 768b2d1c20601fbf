"""Which relation leads from one entity to another: loss and gradients in one pass (CPU).

Around an anchor at the origin a relation's answers lie in a box, so an edge fits a
relation as well as the way from its head, stretched by that relation, to its tail fits
that box. Small derivatives are kept by chance, as in `kernels.box_loss`.

`kernels.reference` says the same in a few lines of torch.
"""

from __future__ import annotations

import math

import numpy as np

from query2box.kernels.compiled import arithmetic, threaded
from query2box.kernels.query_loss import FAR, NOTHING
from query2box.kernels.spreading import spread, thin_out

F = np.float32
TOGETHER = 32
"""Edges that share a load of each box."""


@arithmetic
def _slopes(distance, relation, known, slope):
    """Cross-entropy of a relation against those not known; fills its derivatives."""
    own = distance[relation]
    for r in known:
        distance[r] = FAR
    distance[relation] = own
    closest = FAR
    for r in range(distance.shape[0]):
        closest = min(closest, distance[r])
    for r in range(distance.shape[0]):
        behind = closest - distance[r]
        slope[r] = math.exp(behind) if behind > NOTHING else F(0)
    total = F(0)
    for r in range(distance.shape[0]):
        total += slope[r]
    for r in range(distance.shape[0]):
        slope[r] /= -total
    slope[relation] += F(1)
    return own - closest + math.log(total)


@arithmetic
def _distances(heads, tails, count, center, offset, stretch, alpha, out):
    """How far `count` edges are from one relation's box; two share a load of it."""
    beta = F(1) - alpha
    for i in range(0, count, 2):
        j = min(i + 1, count - 1)
        head0, head1, tail0, tail1 = heads[i], heads[j], tails[i], tails[j]
        a0 = a1 = b0 = b1 = F(0)
        for d in range(center.shape[0]):
            c = center[d]
            o = offset[d]
            s = stretch[d]
            t0 = abs(tail0[d] - s * head0[d] - c)
            t1 = abs(tail1[d] - s * head1[d] - c)
            a0 += t0
            a1 += t1
            b0 += max(t0 - o, F(0))
            b1 += max(t1 - o, F(0))
        out[i] = alpha * a0 + beta * b0
        out[j] = alpha * a1 + beta * b1


@threaded
def relation_loss_kernel(
    points,  # [N, D]
    centers,  # [C, D], the boxes of relations around the origin
    offsets,  # [C, D]
    stretches,  # [C, D]
    heads,  # [E]
    tails,  # [E]
    relations,  # [E], places among the C
    known_offsets,  # [E + 1]
    known,  # ragged: places of relations that may lead from head to tail as well
    weights,  # [E]
    chances,  # [E], from 0 to 1
    alpha,
    least,
    losses,  # [E], out
    grad_centers,  # [C, D], out
    grad_offsets,  # [C, D], out
    grad_stretches,  # [C, D], out
    grad_heads,  # [E, D], out
    grad_tails,  # [E, D], out
):
    """Fill the losses and gradients of `kernels.loss.RelationGradients`."""
    num_edges, dim = heads.shape[0], points.shape[1]
    head_rows = np.empty((TOGETHER, dim), F)
    tail_rows = np.empty((TOGETHER, dim), F)
    way = np.empty(dim, F)
    grad_way = np.empty(dim, F)
    distances = np.empty((centers.shape[0], TOGETHER), F)
    slope = np.empty(centers.shape[0], F)
    grad_centers[:] = F(0)
    grad_offsets[:] = F(0)
    grad_stretches[:] = F(0)
    for first in range(0, num_edges, TOGETHER):
        count = min(TOGETHER, num_edges - first)
        for i in range(count):
            head_rows[i] = points[heads[first + i]]
            tail_rows[i] = points[tails[first + i]]
        for r in range(centers.shape[0]):
            _distances(
                head_rows,
                tail_rows,
                count,
                centers[r],
                offsets[r],
                stretches[r],
                alpha,
                distances[r],
            )
        for i in range(count):
            e = first + i
            relation = relations[e]
            losses[e] = weights[e] * _slopes(
                distances[:, i], relation, known[known_offsets[e] : known_offsets[e + 1]], slope
            )
            thin_out(slope, least, chances[e])
            grad_heads[e] = F(0)
            grad_tails[e] = F(0)
            for r in range(centers.shape[0]):
                if slope[r] != F(0):
                    for d in range(dim):
                        way[d] = tail_rows[i, d] - stretches[r, d] * head_rows[i, d]
                        grad_way[d] = F(0)
                    spread(
                        way,
                        centers[r],
                        offsets[r],
                        alpha,
                        weights[e] * slope[r],
                        grad_way,
                        grad_centers[r],
                        grad_offsets[r],
                    )
                    for d in range(dim):
                        grad_tails[e, d] += grad_way[d]
                        grad_heads[e, d] -= stretches[r, d] * grad_way[d]
                        grad_stretches[r, d] -= head_rows[i, d] * grad_way[d]
