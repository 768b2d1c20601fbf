"""The command line, as a user meets it."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from command_line import MAIN, Outcome, Run
from query2box.cli import main


@pytest.fixture
def q2b(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Run]:
    """Run `q2b` with these arguments in this process."""

    def run(*arguments: object) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["q2b", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as exit_:
            main()
        streams = capsys.readouterr()
        assert isinstance(exit_.value.code, int)
        return Outcome(exit_.value.code, streams.out, streams.err)

    handler = signal.getsignal(signal.SIGTERM)
    yield run
    signal.signal(signal.SIGTERM, handler)


@pytest.fixture
def q2b_process() -> Run:
    """Run `q2b` with these arguments in a process of its own."""

    def run(*arguments: object, **options: Any) -> Outcome:
        done = subprocess.run(
            [sys.executable, "-c", MAIN, *map(str, arguments)],
            check=False,
            capture_output=True,
            text=True,
            timeout=120,
            **options,
        )
        return Outcome(done.returncode, done.stdout, done.stderr)

    return run
