"""How loops over graphs are compiled: machine code that is kept and runs beside Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

from numba import njit

P = ParamSpec("P")
T = TypeVar("T")


def compiled(function: Callable[P, T]) -> Callable[P, T]:
    """Compile at first use and keep the machine code for the next process.

    It runs without Python's lock, so plain threads share the work. Where no
    folder can be written, the code is compiled anew by each process.
    """
    try:
        return cast("Callable[P, T]", njit(cache=True, nogil=True)(function))
    except RuntimeError:  # numba found no place for its cache
        return cast("Callable[P, T]", njit(nogil=True)(function))
