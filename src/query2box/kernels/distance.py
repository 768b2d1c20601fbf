"""dist_box of many points to one box (CPU)."""

from __future__ import annotations

import numpy as np

from query2box.kernels.compiled import arithmetic

F = np.float32


@arithmetic
def box_distances(points, rows, center, offset, alpha, out):
    """dist_box (Query2box, Eq. 3) of the given rows of `points`; four share a load of the box.

    The sums of equal rows are equal to the last bit, wherever they stand: a rest
    of fewer than four is done again together with the rows before it.
    """
    dim = center.shape[0]
    count = rows.shape[0]
    beta = F(1) - alpha
    for start in range(0, count, 4):
        k = min(start, max(count - 4, 0))
        i0 = k
        i1 = min(k + 1, count - 1)
        i2 = min(k + 2, count - 1)
        i3 = min(k + 3, count - 1)
        v0, v1, v2, v3 = points[rows[i0]], points[rows[i1]], points[rows[i2]], points[rows[i3]]
        a0 = a1 = a2 = a3 = F(0)
        b0 = b1 = b2 = b3 = F(0)
        for d in range(dim):
            c = center[d]
            o = offset[d]
            t0 = abs(v0[d] - c)
            t1 = abs(v1[d] - c)
            t2 = abs(v2[d] - c)
            t3 = abs(v3[d] - c)
            a0 += t0
            a1 += t1
            a2 += t2
            a3 += t3
            b0 += max(t0 - o, F(0))
            b1 += max(t1 - o, F(0))
            b2 += max(t2 - o, F(0))
            b3 += max(t3 - o, F(0))
        out[i0] = alpha * a0 + beta * b0
        out[i1] = alpha * a1 + beta * b1
        out[i2] = alpha * a2 + beta * b2
        out[i3] = alpha * a3 + beta * b3
