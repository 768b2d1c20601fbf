"""The next batch is made while a step is at work."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor

from query2box.training.batches import Batch, Batches


class Ahead:
    """Batches in the order of their steps, each begun when the one before is taken."""

    def __init__(self, batches: Batches) -> None:
        self.batches = batches
        self._thread = ThreadPoolExecutor(1)
        self._next: tuple[int, Future[Batch]] | None = None

    def batch(self, step: int) -> Batch:
        """The batch of a step."""
        if self._next is None or self._next[0] != step:
            self._next = step, self._thread.submit(self.batches.batch, step)
        batch = self._next[1].result()
        self._next = step + 1, self._thread.submit(self.batches.batch, step + 1)
        return batch
