"""Sets of entities as bits, with marks that say where there are any.

A set is two arrays: `bits` has one bit an entity, `marks` one byte for every
512 of them, which is a line of cache. Thanks to the marks, listing a set costs
what is in it rather than what there is, and lists come out ascending without a
sort.
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


WORDS = 8
"""Words of bits that one mark stands for."""


@compiled
def insert(bits: Array, marks: Array, values: Array, start: int, stop: int) -> None:
    """Put values[start:stop] into the set."""
    for i in range(start, stop):
        value = np.uint64(values[i])
        bits[value >> np.uint64(6)] |= _ONE << (value & np.uint64(63))
        marks[value >> np.uint64(9)] = 1


@compiled
def insert_slices(
    bits: Array, marks: Array, values: Array, offsets: Array, slices: Array, start: int, stop: int
) -> None:
    """Put values[offsets[s] : offsets[s + 1]] into the set for every s of slices[start:stop].

    The first value of each, then the others: so short a loop has many reads under
    way at a time, and the second one finds what they brought into the cache.
    """
    for i in range(start, stop):
        value = np.uint64(values[offsets[slices[i]]])
        bits[value >> np.uint64(6)] |= _ONE << (value & np.uint64(63))
        marks[value >> np.uint64(9)] = 1
    for i in range(start, stop):
        for j in range(offsets[slices[i]] + 1, offsets[slices[i] + 1]):
            value = np.uint64(values[j])
            bits[value >> np.uint64(6)] |= _ONE << (value & np.uint64(63))
            marks[value >> np.uint64(9)] = 1


@compiled
def drain(bits: Array, marks: Array, out: Array, start: int) -> int:
    """List the set at out[start:], ascending, and leave it empty; says where the list ends."""
    for mark in range(marks.shape[0]):
        if not marks[mark]:
            continue
        marks[mark] = 0
        for word in range(WORDS * mark, WORDS * (mark + 1)):
            rest = bits[word]
            bits[word] = 0
            while rest:
                out[start] = np.uint64(word << 6) | _lowest_bit(rest)
                start += 1
                rest &= rest - _ONE
    return start
