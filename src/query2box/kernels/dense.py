"""A layer of a network for a few vectors (CPU): each weight is read from memory once."""

from __future__ import annotations

import numpy as np

from query2box.kernels.compiled import arithmetic

F = np.float32


@arithmetic
def linear(weights, bias, inputs, rectify, out):
    """weights [O, I], bias [O], inputs [n, I] -> out [n, O], without negatives if `rectify`."""
    for o in range(weights.shape[0]):
        for n in range(inputs.shape[0]):
            total = F(0)
            for i in range(weights.shape[1]):
                total += weights[o, i] * inputs[n, i]
            total += bias[o]
            out[n, o] = max(total, F(0)) if rectify else total
