from __future__ import annotations

import numpy as np
import pytest
import torch

from query2box.kernels.dense import linear


@pytest.mark.parametrize("sizes", [(1, 1, 1), (2, 3, 5), (3, 800, 400)])
@pytest.mark.parametrize("rectify", [False, True])
def test_a_layer_is_torchs(sizes: tuple[int, int, int], rectify: bool):
    count, inputs, outputs = sizes
    rng = np.random.default_rng(0)
    weights, bias, seen = (
        rng.normal(size=shape).astype(np.float32)
        for shape in ((outputs, inputs), (outputs,), (count, inputs))
    )
    found = np.empty((count, outputs), np.float32)
    linear(weights, bias, seen, rectify, found)
    expected = torch.nn.functional.linear(*map(torch.from_numpy, (seen, weights, bias)))
    expected = expected.relu() if rectify else expected
    np.testing.assert_allclose(found, expected.numpy(), rtol=1e-4, atol=1e-3)
