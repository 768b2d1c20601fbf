"""Threads that stay: to start them takes as long as a small piece of work."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar

S = TypeVar("S")


def cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def share(work: Callable[[S], None], items: Sequence[S], threads: int) -> None:
    """Do all items, this thread and others taking one after the other."""
    todo = iter(items)

    def take() -> None:
        for item in todo:
            work(item)

    others = [_pool(threads).submit(take) for _ in range(min(threads, len(items)) - 1)]
    take()
    for other in others:
        if not other.cancel():  # a thread that has not come to it yet is not waited for
            other.result()


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, "share")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # threads do not survive a fork
