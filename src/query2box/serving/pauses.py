"""What keeps one request from holding up all others for longer than it must."""

from __future__ import annotations

import gc
import sys

SWITCH_SECONDS = 0.0005
"""How long a thread keeps Python's lock while others want it.

Answering lets go of the lock and takes it again for each of its kernels, and each time
it waits so long for whoever reads a question: with Python's own 5 ms most of the time of
a scan would go by so.
"""


def settle() -> None:
    """Leave what is there now out of all garbage collections to come.

    A run's names and numbers stay as long as they are served, and to look through them
    for garbage would stop every thread for some tenths of a second, again and again.
    """
    gc.unfreeze()  # of a run that was served before, something may be garbage now
    gc.collect()
    gc.freeze()


def take_turns() -> None:
    """Let threads take turns quickly; for the whole process."""
    sys.setswitchinterval(SWITCH_SECONDS)
