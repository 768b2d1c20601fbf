"""Which relation leads from one entity to another: loss and gradients in one pass (CPU).

Around an anchor at the origin a relation's answers lie in a box, so an edge fits a
relation as well as the way from its head, stretched by that relation, to its tail fits
that box. Small derivatives
are kept by chance, as in `kernels.box_loss`.

`kernels.reference` says the same in a few lines of torch.
"""

from __future__ import annotations

import math

import numpy as np

from query2box.kernels.box_loss import FAR, NOTHING, spread, thin_out
from query2box.kernels.compiled import arithmetic, threaded
from query2box.kernels.distance import box_distances

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
def _way(head, tail, stretch, way):
    """From a stretched head to its tail."""
    for d in range(way.shape[0]):
        way[d] = tail[d] - stretch[d] * head[d]


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
    ways = np.empty((TOGETHER, dim), F)
    own = np.empty(dim, F)
    distances = np.empty((centers.shape[0], TOGETHER), F)
    slope = np.empty(centers.shape[0], F)
    grad_centers[:] = F(0)
    grad_offsets[:] = F(0)
    grad_stretches[:] = F(0)
    for first in range(0, num_edges, TOGETHER):
        count = min(TOGETHER, num_edges - first)
        rows = np.arange(count)
        for r in range(centers.shape[0]):
            for i in range(count):
                _way(points[heads[first + i]], points[tails[first + i]], stretches[r], ways[i])
            box_distances(ways, rows, centers[r], offsets[r], alpha, distances[r])
        for i in range(count):
            e = first + i
            relation = relations[e]
            losses[e] = weights[e] * _slopes(
                distances[:, i], relation, known[known_offsets[e] : known_offsets[e + 1]], slope
            )
            thin_out(slope, least, chances[e])
            head, tail = points[heads[e]], points[tails[e]]
            grad_heads[e] = F(0)
            grad_tails[e] = F(0)
            for r in range(centers.shape[0]):
                if slope[r] != F(0):
                    _way(head, tail, stretches[r], ways[i])
                    own[:] = F(0)
                    spread(
                        ways[i],
                        centers[r],
                        offsets[r],
                        alpha,
                        weights[e] * slope[r],
                        own,
                        grad_centers[r],
                        grad_offsets[r],
                    )
                    for d in range(dim):
                        grad_tails[e, d] += own[d]
                        grad_heads[e, d] -= stretches[r, d] * own[d]
                        grad_stretches[r, d] -= head[d] * own[d]
