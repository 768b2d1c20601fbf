"""`q2b train` as a user meets it: signals, full disks and typing errors included."""

from __future__ import annotations

import json
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from command_line import MAIN, Outcome, Run
from families import TINY
from query2box.bundle import load_tensors
from query2box.experiment.journal import Journal
from query2box.experiment.run import CHECKPOINT, train


def options(**changed: object) -> list[str]:
    """A run of a moment, with some options changed."""
    return [word for k, v in (TINY | changed).items() for word in ("--set", f"{k}={v}")]


def last_line(outcome: Outcome) -> str:
    """What a run that fails on its way says at last."""
    assert outcome.code == 2, outcome
    assert "Traceback" not in outcome.err
    return outcome.err.splitlines()[-1].removeprefix("q2b: ")


def test_train(q2b: Run, families_data: Path, tmp_path: Path) -> None:
    found = q2b("train", families_data, "--out", tmp_path / "run", *options(), "--json")
    best = max(
        entry["average"]["hits@3"]
        for entry in Journal(tmp_path / "run").entries()
        if entry["kind"] == "validation"
    )
    assert found.json == {"run": str(tmp_path / "run"), "finished": True, "best": best}
    assert "query2box (16 dimensions) on families: 33 entities, 5 relations" in found.err
    assert "validation: H@3" in found.err


def test_options_reach_the_run(q2b: Run, families_data: Path, tmp_path: Path) -> None:
    words = ("--model", "gqe", "--preset", "paper", "--seed", "7", "--minutes", "5")
    q2b("train", families_data, "--out", tmp_path / "run", *words, *options(), "--json").json  # noqa: B018
    config = json.loads((tmp_path / "run" / "config.json").read_text())
    assert (config["system"], config["preset"], config["seed"]) == ("gqe", "paper", 7)
    assert config["minutes"] == 5.0
    assert config["training"]["margin"] == 1.0
    assert config["training"]["steps"] == 20


def test_a_dataset_by_its_name(
    q2b: Run, families_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As by its folder: its own validation queries count."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "families").symlink_to(families_data)
    monkeypatch.setenv("Q2B_SHARED", str(tmp_path))
    assert q2b("train", "families", "--out", tmp_path / "run", *options()).code == 0
    config = json.loads((tmp_path / "run" / "config.json").read_text())
    assert config["graph"]["name"] == "families"
    assert config["graph"]["folder"] == str(families_data.resolve())
    assert q2b("data", "stats", "families", "--json").json["entities"] == 33
    complaint = q2b("train", "famlies", "--out", tmp_path / "other").complaint
    assert complaint.endswith("did you mean families?")


def test_help(q2b: Run) -> None:
    found = q2b("train", "--help")
    assert found.code == 0
    assert "q2b train countries --out" in found.out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--set", "dimm=3"], "unknown option 'dimm'; did you mean 'dim'?"),
        (["--set", "dim"], "--set takes key=value, not 'dim'"),
        (["--set", "=3"], "--set takes key=value"),
        (["--set", "dim=wide"], "dim is a whole number, not 'wide'"),
        (["--set", "dim=0"], "dim must be from 1"),
        (["--set", "structures=1p,2q"], "'2q' is no query structure"),
        (["--set", "device=abacus"], "the device 'abacus' cannot be used here"),
        (["--model", "gpe"], "no model 'gpe'; there are query2box"),
        (["--preset", "slow"], "no preset 'slow'; there are fast, paper"),
        (["--minutes", "0"], "minutes must be above 0"),
        (["--seed", "-1"], "seed must be at least 0"),
        (["--resume"], "no run folder, it has no config.json"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_options(
    q2b: Run, families_data: Path, tmp_path: Path, words: list[str], message: str
) -> None:
    outcome = q2b("train", families_data, "--out", tmp_path / "run", *words)
    assert message in outcome.complaint
    assert not (tmp_path / "run").exists()


def test_no_dataset(q2b: Run, tmp_path: Path) -> None:
    assert "nowhere" in q2b("train", tmp_path / "nowhere", "--out", tmp_path / "run").complaint


def test_an_empty_dataset(q2b: Run, tmp_path: Path) -> None:
    (tmp_path / "train.tsv").write_text("")
    complaint = q2b("train", tmp_path, "--out", tmp_path / "run").complaint
    assert "train.tsv: there are no edges" in complaint


def test_a_run_that_is_there(q2b: Run, families_data: Path, tmp_path: Path) -> None:
    words = ("train", families_data, "--out", tmp_path / "run", *options(validations=0))
    assert q2b(*words).code == 0
    assert "there is a run already; --resume" in q2b(*words).complaint


def test_divergence(q2b: Run, families_data: Path, tmp_path: Path) -> None:
    words = options(learning_rate="1e30", travel=0, warmup=0, checkpoint_seconds=0)
    outcome = q2b("train", families_data, "--out", tmp_path / "run", *words)
    assert "training diverged at step" in last_line(outcome)
    if (tmp_path / "run" / CHECKPOINT).exists():
        load_tensors(tmp_path / "run" / CHECKPOINT)


def test_tensorboard(q2b: Run, families_data: Path, tmp_path: Path) -> None:
    pytest.importorskip("tensorboard", reason="the extra tensorboard is not installed")
    words = ("--tensorboard", tmp_path / "log", *options())
    assert q2b("train", families_data, "--out", tmp_path / "run", *words).code == 0
    assert list((tmp_path / "log").iterdir())


# Processes that are interrupted

LONG = {"steps": 2000, "batch_size": 2, "pool": 500, "structures": "1p", "validations": 0}
LONG |= {"checkpoint_seconds": 0.1}


class Training:
    """A `q2b train` that can be sent signals."""

    def __init__(self, data: Path, out: Path) -> None:
        words = ("train", data, "--out", out, "--seed", 4, *options(**LONG))
        self.out = out
        self.process = subprocess.Popen(
            [sys.executable, "-c", MAIN, *map(str, words)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def interrupt(self, number: int) -> Outcome:
        """Wait for the first checkpoint, send a signal, wait for the end."""
        try:
            wait_for((self.out / CHECKPOINT).exists, self.process)
            self.process.send_signal(number)
            out, err = self.process.communicate(timeout=300)
        finally:
            self.process.kill()
        return Outcome(self.process.returncode, out, err)


def wait_for(condition: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    end = time.monotonic() + 600
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.fixture(scope="module")
def unbroken(families_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("runs") / "unbroken"
    return train(families_data, out, seed=4, settings=TINY | LONG).path


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_signals(
    q2b: Run, families_data: Path, tmp_path: Path, unbroken: Path, number: signal.Signals
) -> None:
    run = tmp_path / "run"
    outcome = Training(families_data, run).interrupt(number)
    _, state = load_tensors(run / CHECKPOINT)
    assert 0 < state["step"] < 2000
    if number == signal.SIGKILL:
        assert outcome.code == -signal.SIGKILL
    else:
        assert outcome.code == 0, outcome
        assert f"stopped; q2b train {families_data} --out {run} --resume goes on" in outcome.err
        assert Journal(run).entries()[-1] == {"kind": "stop", "step": state["step"]}
        assert (run / "model.safetensors").is_file()

    assert q2b("train", families_data, "--out", run, "--resume", "--json").json["finished"]
    whole, resumed = (load_tensors(folder / CHECKPOINT)[0] for folder in (unbroken, run))
    assert all(torch.equal(tensor, resumed[name]) for name, tensor in whole.items())


def test_a_full_disk(q2b: Run, q2b_process: Run, families_data: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    words = options(dim=64, validations=0)
    q2b("train", families_data, "--out", run, *words)
    checkpoint = (run / CHECKPOINT).read_bytes()
    # A disk that has room for a journal and not for a checkpoint.
    room = len(checkpoint) // 2
    outcome = q2b_process(
        *("train", families_data, "--out", run, "--resume"),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room)),
    )
    assert last_line(outcome) == f"{run / CHECKPOINT}: File too large"
    assert (run / CHECKPOINT).read_bytes() == checkpoint
    assert not [entry for entry in run.iterdir() if entry.name.endswith(".tmp")]
    assert q2b("train", families_data, "--out", run, "--resume", "--json").json["finished"]
