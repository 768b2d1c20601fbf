"""A folder that one command at a time works in, and what it leaves running."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from query2box.errors import RunError
from query2box.experiment.locking import locked


def test_one_at_a_time(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    waited = []
    with (
        locked(folder),
        pytest.raises(RunError, match="another command is at work here"),
        locked(folder, lambda: waited.append(1), patience=0.2),
    ):
        pass
    assert waited == [1]
    with locked(folder, lambda: waited.append(2)):
        pass
    assert waited == [1]


def test_a_process_that_inherits_the_lock_holds_it(tmp_path: Path) -> None:
    with locked(tmp_path) as lock:
        process = subprocess.Popen(
            [sys.executable, "-c", "input()"], stdin=subprocess.PIPE, pass_fds=(lock,)
        )
    try:
        with pytest.raises(RunError), locked(tmp_path, patience=0):
            pass
        # It ends once somebody waits for it.
        with locked(tmp_path, lambda: process.communicate(b"\n", timeout=60)):
            assert process.returncode == 0
    finally:
        process.kill()
        process.communicate()
