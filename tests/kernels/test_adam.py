"""Adam on rows, against the formula in double precision."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from query2box.kernels.adam import adam_rows_kernel

RATE, BETA1, BETA2, EPSILON = 0.01, 0.9, 0.999, 1e-8


@given(
    st.integers(0, 2**32),
    st.integers(1, 9),
    st.integers(1, 6),
    st.integers(1, 20),
    st.sampled_from([1, 2, 1000, 10**6]),
)
def test_adam_is_adam(seed: int, dim: int, size: int, count: int, step: int) -> None:
    generator = np.random.default_rng(seed)
    table, first = generator.normal(size=(2, size, dim)).astype(np.float32)
    second = generator.random((size, dim), np.float32)
    gradients = generator.normal(size=(count, dim)).astype(np.float32)
    ids = generator.integers(0, size, count)

    wanted = [array.astype(np.float64) for array in (table, first, second)]
    for row in set(ids.tolist()):
        gradient = gradients[ids == row].astype(np.float64).sum(0)
        point, m, v = (array[row] for array in wanted)
        m[:] = BETA1 * m + (1 - BETA1) * gradient
        v[:] = BETA2 * v + (1 - BETA2) * gradient**2
        unbiased = m / (1 - BETA1**step), v / (1 - BETA2**step)
        point -= RATE * unbiased[0] / (np.sqrt(unbiased[1]) + EPSILON)

    updates = np.full(size, step - 1, np.float32)
    order = np.argsort(ids, kind="stable")
    rows, segments = np.unique(ids[order], return_index=True)
    adam_rows_kernel(
        table,
        first,
        second,
        rows,
        np.append(segments, count),
        order,
        gradients,
        np.float32(RATE),
        BETA1,
        BETA2,
        np.float32(EPSILON),
        updates,
    )
    for found, exact in zip((table, first, second), wanted, strict=True):
        np.testing.assert_allclose(found, exact, rtol=1e-4, atol=1e-5)
    touched = np.isin(np.arange(size), ids)
    assert updates.tolist() == np.where(touched, step, step - 1).tolist()
