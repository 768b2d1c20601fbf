"""A folder that one command at a time works in."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from query2box.errors import RunError

LOCK = ".lock"
PATIENCE = 60.0
"""Seconds in which what a killed command left running saves its work and ends."""


@contextmanager
def locked(
    folder: Path, waiting: Callable[[], None] = lambda: None, patience: float = PATIENCE
) -> Iterator[int]:
    """Hold a folder, which is made if need be; gives the descriptor of its lock.

    A process that inherits the descriptor holds the folder as well, until both have
    ended. `waiting` is called once, if somebody else holds it.
    """
    import fcntl

    folder.mkdir(parents=True, exist_ok=True)
    with (folder / LOCK).open("a") as file:
        end = time.monotonic() + patience
        told = False
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= end:
                    raise RunError(f"{folder}: another command is at work here") from None
            if not told:
                waiting()
                told = True
            time.sleep(0.1)
        yield file.fileno()
