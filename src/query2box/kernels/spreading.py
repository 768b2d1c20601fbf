"""Derivatives of distances, back to the entities and boxes that they are between (CPU).

Most negatives are far and have next to no derivative: small ones are kept by chance, so that
spreading back costs little.
"""

from __future__ import annotations

import math

import numpy as np

from query2box.kernels.compiled import arithmetic

F = np.float32


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
def spread_all(points, rows, nearest, centers, offsets, alpha, weight, slope, grads, grad_boxes):
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
