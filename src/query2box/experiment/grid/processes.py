"""Starting, hearing and ending the processes of cells."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from query2box.experiment.grid.worker import Task
from query2box.experiment.threads import cores

LAST_WORDS = ("done", "failed", "stopped")


class Worker:
    """A process at work on a cell."""

    def __init__(self, command: Sequence[str], task: Task, jobs: int, lock: int) -> None:
        # Whatever a library prints must neither fill a pipe nor disturb the screen.
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 -- closed with the process
        self._process = subprocess.Popen(  # noqa: S603 -- our own program
            [*command, task.to_json()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=_environment(jobs),
            # While it lives, nobody else works in the experiment's folder.
            pass_fds=(lock,),
        )
        self._unread = b""
        self._last: dict[str, Any] | None = None

    def fileno(self) -> int:
        """Where it tells how it goes."""
        assert self._process.stdout is not None  # noqa: S101
        return self._process.stdout.fileno()

    def hear(self) -> list[dict[str, Any]] | None:
        """What it has told since; None at its end."""
        data = os.read(self.fileno(), 1 << 16)
        if not data:
            return None
        *lines, self._unread = (self._unread + data).split(b"\n")
        events = [event for line in lines if (event := _event(line))]
        self._last = self._last or next((e for e in events if e["kind"] in LAST_WORDS), None)
        return [event for event in events if event["kind"] not in LAST_WORDS]

    def end(self) -> dict[str, Any]:
        """Wait for its end; gives its last word, or what is known of its death."""
        code = self._process.wait()
        last = self._last or {"kind": "failed", "reason": self._death(code)}
        self._close()
        return last

    def stop(self) -> None:
        """Ask it to save its work and end."""
        assert self._process.stdin is not None  # noqa: S101
        with suppress(BrokenPipeError):
            self._process.stdin.close()

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()
        self._process.wait()
        self._close()

    def _death(self, code: int) -> str:
        """Why a process ended without a word."""
        if code < 0:
            return f"its process was ended by {signal.Signals(-code).name}"
        self._errors.seek(0)
        lines = self._errors.read().decode("utf-8", "replace").splitlines()
        return f"its process ended with code {code}: {lines[-1] if lines else 'nothing was said'}"

    def _close(self) -> None:
        self.stop()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._errors.close()


def _event(line: bytes) -> dict[str, Any] | None:
    """What a line tells; a library may have printed words of its own."""
    try:
        event = json.loads(line)
    except ValueError:
        return None
    return event if isinstance(event, dict) and "kind" in event else None


def _environment(jobs: int) -> dict[str, str]:
    """The cores shared evenly among processes."""
    found = os.environ | {"OMP_WAIT_POLICY": os.environ.get("OMP_WAIT_POLICY", "passive")}
    if jobs > 1:
        threads = str(max(1, cores() // jobs))
        found |= {"NUMBA_NUM_THREADS": threads, "OMP_NUM_THREADS": threads}
    return found
