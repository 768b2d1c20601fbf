"""How the hot loops are compiled: at first use, with the machine code kept for the next process.

Kept code is thrown away when any kernel's source changes. (Left to itself, numba
looks at a loop's own file only, and misses that a loop it calls has changed.)
Where no folder can be written, each process compiles anew.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

import numba
from numba import njit

P = ParamSpec("P")
T = TypeVar("T")

_settings: Any = numba.config


def compiled(function: Callable[P, T]) -> Callable[P, T]:
    """A loop over a graph; it runs without Python's lock, so plain threads share the work."""
    return _compile(function, nogil=True)


def arithmetic(function: Callable[P, T]) -> Callable[P, T]:
    """A loop over numbers, whose sums may be taken in any order.

    So that the order is the same each time, loops that sum write nothing: whether a loop
    that writes is vectorised may depend on where its arrays happen to lie in memory.

    Numbers that diverge stay numbers here: a division by 0 in a `prange` would
    otherwise end the process's loop with an error that says nothing.
    """
    return _compile(function, fastmath=True, error_model="numpy")


def threaded(function: Callable[P, T]) -> Callable[P, T]:
    """The same for plain threads that each do a part of the work: it lets go of Python's lock."""
    return _compile(function, fastmath=True, error_model="numpy", nogil=True)


def parallel(function: Callable[P, T]) -> Callable[P, T]:
    """A loop over numbers that spreads itself over the cores with `prange`."""
    return _compile(function, fastmath=True, error_model="numpy", parallel=True)


def _compile(function: Callable[P, T], **options: Any) -> Callable[P, T]:
    before = _settings.CACHE_DIR
    _settings.CACHE_DIR = before or _folder()
    try:
        return cast("Callable[P, T]", njit(cache=True, **options)(function))
    except RuntimeError:  # numba found no place for its cache
        return cast("Callable[P, T]", njit(**options)(function))
    finally:
        _settings.CACHE_DIR = before


@cache
def _folder() -> str:
    """A folder beside the kernels, named after their contents; "" leaves the choice to numba."""
    here = Path(__file__).parent
    contents = hashlib.sha256()
    try:
        for source in sorted(here.glob("*.py")):
            contents.update(source.read_bytes())
        folder = here / "__pycache__" / f"kernels-{contents.hexdigest()[:16]}"
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return ""
    return str(folder)
