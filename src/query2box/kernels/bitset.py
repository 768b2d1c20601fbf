"""Sets of entities as bits, with a second level that says which words have any.

A set is two arrays: `bits` has one bit an entity, `summary` one bit a word of
`bits`. Thanks to the summary, listing a set costs what is in it, however many
entities there are, and lists come out ascending without a sort.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic

from query2box.kernels.compiled import compiled

Array = Any  # numba compiles by the concrete dtypes

_ONE = np.uint64(1)


def _count_trailing_zeros(_typing: Any, _word: Any) -> Any:
    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], context.get_constant(types.boolean, 1))

    return types.uint64(types.uint64), generate


_lowest_bit: Any = intrinsic(_count_trailing_zeros)
"""The place of the lowest bit of a word that is not 0."""


@compiled
def insert(bits: Array, summary: Array, values: Array, start: int, stop: int) -> None:
    """Put values[start:stop] into the set."""
    for i in range(start, stop):
        value = np.uint64(values[i])
        word = value >> np.uint64(6)
        bits[word] |= _ONE << (value & np.uint64(63))
        summary[word >> np.uint64(6)] |= _ONE << (word & np.uint64(63))


@compiled
def drain(bits: Array, summary: Array, out: Array, start: int) -> int:
    """List the set at out[start:], ascending, and leave it empty; says where the list ends."""
    for block in range(summary.shape[0]):
        touched = summary[block]
        summary[block] = 0
        while touched:
            word = (np.uint64(block) << np.uint64(6)) | _lowest_bit(touched)
            touched &= touched - _ONE
            rest = bits[word]
            bits[word] = 0
            while rest:
                out[start] = (word << np.uint64(6)) | _lowest_bit(rest)
                start += 1
                rest &= rest - _ONE
    return start
