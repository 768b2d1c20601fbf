"""Threads that work off what is queued, so that the event loop never waits."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from query2box.serving.errors import BusyError, TimedOutError, UnavailableError

Work = TypeVar("Work")
Done = TypeVar("Done")


@dataclass(eq=False)
class Task(Generic[Work, Done]):
    """Some work, by when it must be done, and what becomes of it."""

    work: Work
    deadline: float
    """By `time.monotonic`."""
    future: Future[Done] = field(default_factory=Future)


class Lane(Generic[Work, Done]):
    """A bounded queue and the threads that take from it.

    `perform` is given all that waits, at most `most` at once, and sees to it that
    every future is done. What nobody waits for any more is passed over.
    """

    def __init__(
        self,
        name: str,
        perform: Callable[[list[Task[Work, Done]]], None],
        room: int,
        most: int = 1,
        threads: int = 1,
    ) -> None:
        self.name = name
        self.room = room
        self._perform = perform
        self._most = most
        self._waiting: deque[Task[Work, Done]] = deque()
        self._changed = threading.Condition()
        self.closed = False
        self.last = 0
        """How many pieces of work were done together last."""
        self._threads = [
            threading.Thread(target=self._run, name=f"{name}-{i}", daemon=True)
            for i in range(threads)
        ]
        for thread in self._threads:
            thread.start()

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, work: Work, deadline: float) -> Future[Done]:
        """Queue some work; refused if too much waits already."""
        task: Task[Work, Done] = Task(work, deadline)
        with self._changed:
            if self.closed:
                raise UnavailableError("the server is shutting down")
            if len(self._waiting) >= self.room:
                raise BusyError(f"{self.room} requests are waiting already; come again later")
            self._waiting.append(task)
            self._changed.notify()
        return task.future

    async def do(self, work: Work, deadline: float) -> Done:
        """Queue some work and wait for it, but not beyond its deadline."""
        future = asyncio.wrap_future(self.put(work, deadline))
        try:
            return await asyncio.wait_for(future, max(deadline - time.monotonic(), 0))
        except TimeoutError:
            raise too_late() from None

    def close(self) -> None:
        """Finish what is queued, then end."""
        with self._changed:
            self.closed = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    def _run(self) -> None:
        while tasks := self._taken():
            wanted = [task for task in tasks if _is_wanted(task)]
            if not wanted:
                continue
            self.last = len(wanted)
            try:
                self._perform(wanted)
            except BaseException as error:  # noqa: BLE001 -- told to those who wait
                for task in wanted:
                    if not task.future.done():
                        task.future.set_exception(error)

    def _taken(self) -> list[Task[Work, Done]]:
        """What is next; nothing once the lane is closed and empty."""
        with self._changed:
            while not self._waiting and not self.closed:
                self._changed.wait()
            return [self._waiting.popleft() for _ in range(min(self._most, len(self._waiting)))]


def too_late() -> TimedOutError:
    """The complaint about work that was not done by its deadline."""
    return TimedOutError("the request took too long and was given up")


def until(deadline: float) -> Callable[[], None]:
    """What ends long work once its deadline has passed."""

    def check() -> None:
        if time.monotonic() > deadline:
            raise too_late()

    return check


def _is_wanted(task: Task[Work, Done]) -> bool:
    return task.future.set_running_or_notify_cancel()


def each(perform: Callable[[Work, float], Done]) -> Callable[[list[Task[Work, Done]]], None]:
    """What does one piece of work after the other; it is told the deadline."""

    def perform_all(tasks: list[Task[Work, Done]]) -> None:
        for task in tasks:
            try:
                task.future.set_result(perform(task.work, task.deadline))
            except Exception as error:  # noqa: BLE001 -- told to the one who waits
                task.future.set_exception(error)

    return perform_all
