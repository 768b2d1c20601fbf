"""`q2b tune` as a user meets it."""

from __future__ import annotations

import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from command_line import MAIN, Run
from families import TINY
from query2box.experiment.run import CHECKPOINT

LONG = TINY | {"steps": 300, "batch_size": 2, "pool": 500, "validations": 3}
LONG |= {"checkpoint_seconds": 0.1, "weighting": "equal", "direction": "both"}


def words(**changed: object) -> list[str]:
    return [word for k, v in (LONG | changed).items() for word in ("--set", f"{k}={v}")]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_interrupted_and_resumed_is_as_unbroken(
    q2b: Run, families_data: Path, tmp_path: Path, number: signal.Signals
) -> None:
    out = tmp_path / "broken"
    command = ["tune", str(families_data), "--trials", "2", *words(), "--json", "--out"]
    process = subprocess.Popen(
        [sys.executable, "-c", MAIN, *command, str(out)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        end = time.monotonic() + 300
        while not (out / "trial-000" / CHECKPOINT).exists() and process.poll() is None:
            assert time.monotonic() < end
            time.sleep(0.01)
        process.send_signal(number)
        # On a busy machine it may be over before the signal comes.
        assert process.wait(timeout=300) in (0, 130, -signal.SIGKILL)
    finally:
        process.kill()
        process.wait()
    resumed = q2b(*command, out).json
    whole = q2b(*command, tmp_path / "whole").json
    assert resumed["trials"] == whole["trials"]
    assert len(whole["trials"]) == 2
    assert resumed["command"] == whole["command"]


def test_the_command_that_it_prints_trains(q2b: Run, families_data: Path, tmp_path: Path) -> None:
    line = ("--trials", 1, *words(steps=20, structures="1p,2i"), "--search", "gamma=6,24")
    found = q2b("tune", families_data, "--out", tmp_path / "out", *line)
    assert found.code == 0
    assert "trial 0: H@3" in found.err
    printed = shlex.split(found.out)
    assert printed[:3] == ["q2b", "train", str(families_data)]
    assert "gamma=24.0" in printed
    printed[printed.index("RUN")] = str(tmp_path / "run")
    assert q2b(*printed[1:], "--json").json["finished"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (["--search", "dimm=1:2"], "unknown option 'dimm'; did you mean 'dim'?"),
        (["--search", "dim"], "--search takes key=value"),
        (["--search", "dim=8:4"], "dim: 8 must be at most 4"),
        (["--set", "dim=wide"], "dim is a whole number"),
        (["--model", "gpe"], "no model 'gpe'"),
        (["--minutes-per-trial", "0"], "minutes must be above 0"),
        (["--trials", "0"], "Invalid value for '--trials'"),
    ],
)
def test_bad_words(
    q2b: Run, families_data: Path, tmp_path: Path, line: list[str], message: str
) -> None:
    complaint = q2b("tune", families_data, "--out", tmp_path / "out", *line).complaint
    assert message in complaint
    assert not (tmp_path / "out").exists()
