"""Work that several threads take from one list."""

from __future__ import annotations

import threading
from collections import Counter

import pytest

from query2box.kernels import threads
from query2box.kernels.threads import share


@pytest.mark.parametrize("count", [0, 1, 2, 7, 100])
@pytest.mark.parametrize("workers", [1, 2, 5])
def test_every_item_is_done_once(count: int, workers: int) -> None:
    done: Counter[int] = Counter()
    share(lambda item: done.update([item]), range(count), workers)
    assert done == Counter(range(count))


def test_threads_work_at_the_same_time() -> None:
    both = threading.Barrier(2, timeout=30)
    share(lambda _: both.wait() and None, range(2), 2)


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_is_told(workers: int) -> None:
    """Each of two threads has one item, so whichever fails, somebody hears of it."""
    both = threading.Barrier(workers, timeout=30)

    def work(item: int) -> None:
        both.wait()
        if item == 0:
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        share(work, range(workers), workers)


def test_nobody_waits_for_a_busy_thread_that_has_nothing_of_theirs() -> None:
    free = threading.Event()
    pool = threads._pool(3)
    busy = [pool.submit(free.wait, 60) for _ in range(3)]
    done: list[int] = []
    try:
        share(done.append, range(9), 3)
        assert done == list(range(9))
        assert not any(one.done() for one in busy)
    finally:
        free.set()
