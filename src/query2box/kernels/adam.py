"""Adam on the rows of a table that a step touched (CPU)."""

from __future__ import annotations

import math

import numpy as np
from numba import prange

from query2box.kernels.compiled import parallel

F = np.float32


@parallel
def adam_rows_kernel(
    table,  # [N, D], changed in place
    first_moment,  # [N, D], changed in place
    second_moment,  # [N, D], changed in place
    rows,  # [S], distinct
    segments,  # [S + 1], row s collects the gradients order[segments[s] : segments[s + 1]]
    order,  # [G]
    gradients,  # [G, D]
    rate,
    beta1,
    beta2,
    epsilon,
    updates,  # [N], how often each row was updated; changed in place
):
    """Update the rows that gradients were collected for; other rows and moments stay."""
    dim = table.shape[1]
    b1, b2 = F(beta1), F(beta2)
    for s in prange(rows.shape[0]):
        gradient = np.zeros(dim, F)
        for j in range(segments[s], segments[s + 1]):
            part = gradients[order[j]]
            for d in range(dim):
                gradient[d] += part[d]
        updates[rows[s]] += F(1)
        size = rate / F(1 - beta1 ** updates[rows[s]])
        scale = F(1 / math.sqrt(1 - beta2 ** updates[rows[s]]))
        point = table[rows[s]]
        first = first_moment[rows[s]]
        second = second_moment[rows[s]]
        for d in range(dim):
            g = gradient[d]
            first[d] = b1 * first[d] + (F(1) - b1) * g
            second[d] = b2 * second[d] + (F(1) - b2) * g * g
            point[d] -= size * first[d] / (math.sqrt(second[d]) * scale + epsilon)
