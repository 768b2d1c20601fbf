"""How the hot loops are compiled: at first use, with the machine code kept for the next process.

Where no folder can be written, each process compiles anew.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

from numba import njit

P = ParamSpec("P")
T = TypeVar("T")


def compiled(function: Callable[P, T]) -> Callable[P, T]:
    """A loop over a graph; it runs without Python's lock, so plain threads share the work."""
    return _compile(function, nogil=True)


def arithmetic(function: Callable[P, T]) -> Callable[P, T]:
    """A loop over numbers, whose sums may be taken in any order.

    Numbers that diverge stay numbers here: a division by 0 in a `prange` would
    otherwise end the process's loop with an error that says nothing.
    """
    return _compile(function, fastmath=True, error_model="numpy")


def parallel(function: Callable[P, T]) -> Callable[P, T]:
    """A loop over numbers that spreads itself over the cores with `prange`."""
    return _compile(function, fastmath=True, error_model="numpy", parallel=True)


def _compile(function: Callable[P, T], **options: Any) -> Callable[P, T]:
    try:
        return cast("Callable[P, T]", njit(cache=True, **options)(function))
    except RuntimeError:  # numba found no place for its cache
        return cast("Callable[P, T]", njit(**options)(function))
