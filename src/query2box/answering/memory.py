"""How much memory this process has had at most."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

_PROCESS = Path("/proc/self")


def forget_peak() -> None:
    """Begin anew from what is in use now; where the system cannot, the peak so far stays."""
    with suppress(OSError):
        (_PROCESS / "clear_refs").write_text("5")


def peak_memory() -> int:
    """The most bytes of memory in use at once since `forget_peak`."""
    with suppress(OSError):
        for line in (_PROCESS / "status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
