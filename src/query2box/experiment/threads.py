"""How many cores torch and numba use."""

from __future__ import annotations

import os


def cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def use_threads(threads: int = 0) -> int:
    """Give torch and numba this many threads each (0: all cores); they never run at once."""
    import numba
    import torch

    count = min(threads or cores(), numba.config.NUMBA_NUM_THREADS)  # type: ignore[attr-defined]
    torch.set_num_threads(count)
    numba.set_num_threads(count)
    return int(count)
