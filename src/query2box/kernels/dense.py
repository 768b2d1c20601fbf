"""The networks of an intersection for the few boxes of one question (CPU).

Each weight is read from memory once. They run without Python's lock, so that the
networks of several heads can run at the same time.
"""

from __future__ import annotations

import math

import numpy as np

from query2box.kernels.compiled import arithmetic, threaded

F = np.float32


@threaded
def linear(weights, inputs, out):
    """Add inputs [n, I] through weights [O, I] to out [n, O]."""
    for o in range(weights.shape[0]):
        for n in range(inputs.shape[0]):
            total = F(0)
            for i in range(weights.shape[1]):
                total += weights[o, i] * inputs[n, i]
            out[n, o] += total


@arithmetic
def _rectify(hidden):
    for n in range(hidden.shape[0]):
        for h in range(hidden.shape[1]):
            hidden[n, h] = max(hidden[n, h], F(0))


@threaded
def attention(inner, outer, centers, hidden):
    """The weighted mean [D] of centers [n, D] (`model.networks.Attention`).

    `hidden` [n, H] is what else the first layer adds up; it is written to.
    """
    linear(inner, centers, hidden)
    _rectify(hidden)
    last = centers.shape[0] - 1
    scores = np.zeros(centers.shape, F)
    for n in range(last):
        hidden[n] -= hidden[last]
    linear(outer, hidden[:last], scores[:last])
    found = np.empty(centers.shape[1], F)
    for d in range(centers.shape[1]):
        highest = F(0)
        for n in range(last):
            highest = max(highest, scores[n, d])
        total = weighted = F(0)
        for n in range(last + 1):
            weight = math.exp(scores[n, d] - highest)
            total += weight
            weighted += weight * centers[n, d]
        found[d] = weighted / total
    return found


@threaded
def deep_sets(inner, outer, bias, centers, hidden):
    """A function [D] of a set (`model.networks.DeepSets`); `inner` may see no centers."""
    if inner.shape[1]:
        linear(inner, centers, hidden)
    _rectify(hidden)
    mean = np.zeros((1, hidden.shape[1]), F)
    for n in range(hidden.shape[0]):
        mean[0] += hidden[n]
    mean /= F(hidden.shape[0])
    found = bias.copy()
    linear(outer, mean, found.reshape(1, -1))
    return found
