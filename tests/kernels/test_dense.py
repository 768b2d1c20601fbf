"""The networks of one question against those of the model."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from query2box.kernels.dense import attention, deep_sets, linear
from query2box.model.networks import Attention, DeepSets, Seen, Sight

SIZES = [(1, 1, 1), (2, 3, 5), (3, 400, 200)]


def numbers(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


@pytest.mark.parametrize("sizes", SIZES)
def test_a_layer_is_torchs(sizes: tuple[int, int, int]):
    count, inputs, outputs = sizes
    weights, seen, found = numbers(outputs, inputs), numbers(count, inputs), numbers(count, outputs)
    expected = found + seen.astype(float) @ weights.astype(float).T
    linear(weights, seen, found)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize(
    ("kind", "centers"), [(Attention, True), (DeepSets, True), (DeepSets, False)]
)
@pytest.mark.parametrize("sizes", SIZES)
def test_a_network_is_the_models(sizes: tuple[int, int, int], kind: type, centers: bool):
    count, dim, hidden = sizes
    torch.manual_seed(0)
    module = kind(dim, hidden, Sight(centers, True))
    boxes = numbers(count, dim), np.abs(numbers(count, dim, seed=1))
    with torch.no_grad():
        expected = module(Seen(*(torch.from_numpy(part)[:, None] for part in boxes)))
    weight, bias = (part.detach().numpy() for part in (module.inner.weight, module.inner.bias))
    split = dim * centers
    seen = boxes[1] @ weight[:, split:].T + bias
    inner, outer = weight[:, :split].copy(), module.outer.weight.detach().numpy()
    if kind is Attention:
        found = attention(inner, outer, boxes[0], seen)
    else:
        found = deep_sets(inner, outer, module.outer.bias.detach().numpy(), boxes[0], seen)
    np.testing.assert_allclose(found, expected.numpy()[0], rtol=1e-3, atol=1e-4)
