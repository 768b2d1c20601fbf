"""Ctrl-C and its like: the first asks to save and end, a second one ends at once."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from types import FrameType


class Stoppable(Protocol):
    """Whatever looks now and then whether it was asked to stop."""

    asked_to_stop: bool


@contextmanager
def stopping(work: Stoppable) -> Iterator[None]:
    """Let the first SIGINT or SIGTERM end the work after it is saved, and a second one at once."""

    def ask(_number: int, _frame: FrameType | None) -> None:
        if work.asked_to_stop:
            raise KeyboardInterrupt
        # Nothing is said here: the signal may have come in the middle of a line.
        work.asked_to_stop = True

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
