"""Random numbers for kernels: xoshiro256++, seeded by splitmix64.

Each chunk of work has a generator of its own, so that results depend on the
seed and not on which thread came first. (Blackman and Vigna, Scrambled linear
pseudorandom number generators, 2021.)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from query2box.kernels.compiled import compiled

Array = Any  # numba compiles by the concrete dtypes


@compiled
def generator(seed: int, chunk: int) -> Array:
    """The state of a chunk's generator."""
    state = np.empty(4, np.uint64)
    x = _mixed(np.uint64(seed)) ^ np.uint64(chunk)
    for i in range(4):
        x += np.uint64(0x9E3779B97F4A7C15)
        state[i] = _mixed(x)
    return state


@compiled
def _mixed(x: Any) -> Any:
    """splitmix64's output function."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@compiled
def _rotated(x: Any, by: int) -> Any:
    return (x << np.uint64(by)) | (x >> np.uint64(64 - by))


@compiled
def next_word(state: Array) -> Any:
    """64 random bits."""
    result = _rotated(state[0] + state[3], 23) + state[0]
    shifted = state[1] << np.uint64(17)
    state[2] ^= state[0]
    state[3] ^= state[1]
    state[1] ^= state[2]
    state[0] ^= state[3]
    state[2] ^= shifted
    state[3] = _rotated(state[3], 45)
    return result


@compiled
def below(state: Array, bound: int) -> int:
    """A number from 0 to `bound` - 1, for a bound under 2^32.

    The upper half of a word times the bound; no number is likelier than another
    by more than bound / 2^32 of its chance.
    """
    high = next_word(state) >> np.uint64(32)
    return np.int64((high * np.uint64(bound)) >> np.uint64(32))  # type: ignore[return-value]
