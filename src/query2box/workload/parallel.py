"""Work in chunks: what is computed does not depend on how many threads share it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

S = TypeVar("S")
T = TypeVar("T")


def chunks(total: int, size: int) -> list[slice]:
    """Slices of at most `size` that cover `total` rows."""
    return [slice(start, min(start + size, total)) for start in range(0, total, size)]


def map_threads(work: Callable[[S], T], items: Sequence[S], threads: int) -> list[T]:
    """The results of `work`, in the order of the items; kernels run without Python's lock."""
    if threads <= 1 or len(items) <= 1:
        return [work(item) for item in items]
    with ThreadPoolExecutor(min(threads, len(items))) as pool:
        return list(pool.map(work, items))
