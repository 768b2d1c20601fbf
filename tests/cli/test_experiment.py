"""`q2b experiment` as a user meets it: signals, missing datasets and edited files included."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Self

import psutil
import pytest

from command_line import MAIN, Outcome, Run
from experiments import evaluations, write_experiment
from families import TINY
from query2box.answering.calibration import CALIBRATION
from query2box.experiment.journal import Journal
from query2box.experiment.run import CHECKPOINT

LONG = TINY | {"steps": 400, "batch_size": 2, "pool": 500, "validations": 3}
LONG |= {"checkpoint_seconds": 0.1}


def journal(out: Path) -> list[tuple[str, str]]:
    """What became of which cell, in turn."""
    entries = Journal(out, "experiment.jsonl").entries()
    return [(entry["kind"], entry.get("cell", "")) for entry in entries]


@pytest.fixture(scope="module")
def unbroken(families_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an experiment of two cells that nobody disturbed."""
    folder = tmp_path_factory.mktemp("unbroken")
    file = write_experiment(folder / "e.toml", {"settings": LONG}, datasets=[str(families_data)])
    done = subprocess.run(
        [sys.executable, "-c", MAIN, "experiment", str(file), "--no-plots", "--json"],
        check=True,
        capture_output=True,
        timeout=300,
    )
    assert json.loads(done.stdout)["whole"]
    return folder / "out"


def test_what_it_leaves_behind(unbroken: Path) -> None:
    cells = ["families/query2box-0", "families/transe-0"]
    assert sorted(evaluations(unbroken)) == [
        f"{cell}/evaluations/{split}.json" for cell in cells for split in ("test", "valid")
    ]
    assert journal(unbroken) == [
        ("begin", ""),
        *((kind, cell) for cell in cells for kind in ("started", "done")),
    ]
    for cell in cells:
        assert (unbroken / cell / CALIBRATION).is_file()
    for split in ("valid", "test"):
        report = json.loads((unbroken / "report" / split / "report.json").read_text())
        assert [run["system"] for run in report["runs"]] == ["query2box", "transe"]
        assert report["split"] == split


def test_what_is_done_is_not_done_again(
    q2b: Run, unbroken: Path, families_data: Path, tmp_path: Path
) -> None:
    shutil.copytree(unbroken, tmp_path / "out")
    file = write_experiment(tmp_path / "e.toml", {"settings": LONG}, datasets=[str(families_data)])
    found = q2b("experiment", file, "--no-plots")
    assert found.code == 0
    assert "e: 0 runs in" in found.err
    assert "families valid  families test" in found.out
    assert [kind for kind, _ in journal(tmp_path / "out")].count("started") == 2
    assert evaluations(tmp_path / "out") == evaluations(unbroken)


def test_an_edited_file_adds_cells(
    q2b: Run, unbroken: Path, families_data: Path, tmp_path: Path
) -> None:
    shutil.copytree(unbroken, tmp_path / "out")
    data = [str(families_data), "nowhere"]
    file = write_experiment(
        tmp_path / "e.toml",
        {
            "settings": LONG,
            "models.gqe": TINY,
            "models.q2b-avg": TINY | {"learning_rate": 1e30, "travel": 0},
        },
        datasets=data,
        models=["query2box", "gqe", "q2b-avg"],
        splits=["valid"],
        jobs=3,
    )
    found = q2b("experiment", file, "--no-plots", "--json")
    assert found.code == 2
    assert "Traceback" not in found.err
    assert "4 of 6 runs failed" in found.err.splitlines()[-1]
    document = json.loads(found.out)
    assert not document["whole"]
    assert list(document["done"]) == ["families/query2box-0", "families/gqe-0"]
    reasons = document["failed"]
    assert "training diverged" in reasons.pop("families/q2b-avg-0")
    assert list(reasons) == ["nowhere/query2box-0", "nowhere/gqe-0", "nowhere/q2b-avg-0"]
    assert all("no dataset 'nowhere'" in reason for reason in reasons.values())
    # Another model does not change what was known of the first.
    kept = {k: v for k, v in evaluations(tmp_path / "out").items() if "gqe" not in k}
    assert kept == evaluations(unbroken)


def test_a_changed_option_is_refused(
    q2b: Run, unbroken: Path, families_data: Path, tmp_path: Path
) -> None:
    shutil.copytree(unbroken, tmp_path / "out")
    before = journal(tmp_path / "out")
    file = write_experiment(tmp_path / "e.toml", {"settings": LONG}, datasets=[str(families_data)])
    complaint = q2b("experiment", file, "--set", "gamma=12").complaint
    assert "query2box-0: this run began with another gamma" in complaint
    assert journal(tmp_path / "out") == before


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--set", "gama=12"], "unknown option 'gama'; did you mean 'gamma'?"),
        (["--set", "gama"], "--set takes key=value"),
        (["--jobs", "0"], "jobs must be from 1"),
    ],
)
def test_bad_words(q2b: Run, tmp_path: Path, words: list[str], message: str) -> None:
    file = write_experiment(tmp_path / "e.toml", datasets=["countries"])
    assert message in q2b("experiment", file, *words).complaint
    assert not (tmp_path / "out").exists()


def test_no_file(q2b: Run, tmp_path: Path) -> None:
    assert "No such file" in q2b("experiment", tmp_path / "none.toml").complaint


def test_a_process_that_is_killed_is_a_failed_cell(families_data: Path, tmp_path: Path) -> None:
    file = write_experiment(
        tmp_path / "e.toml",
        {"settings": TINY, "models.query2box": LONG | {"steps": 10**6}},
        datasets=[str(families_data)],
    )
    with Interrupted(file, tmp_path / "out" / "families" / "query2box-0") as process:
        process.workers()[0].kill()
        outcome = process.end()
    assert outcome.code == 2
    assert (
        "1 of 2 runs failed; families/query2box-0: its process was ended by SIGKILL"
        in (outcome.err.splitlines()[-1])
    )
    assert journal(tmp_path / "out")[-1] == ("done", "families/transe-0")


# Processes that are interrupted


class Interrupted:
    """A `q2b experiment` that has reached the first checkpoint of a run, to be sent signals."""

    def __init__(self, file: Path, *runs: Path) -> None:
        self._runs = runs
        self._process = subprocess.Popen(
            [sys.executable, "-c", MAIN, "experiment", str(file), "--no-plots"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        for run in self._runs:
            wait_for((run / CHECKPOINT).exists, self._process)
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def workers(self) -> list[psutil.Process]:
        return psutil.Process(self._process.pid).children()

    def interrupt(self, number: int) -> Outcome:
        """Send a signal, and wait for the end of all processes."""
        workers = self.workers()
        self._process.send_signal(number)
        outcome = self.end()
        assert psutil.wait_procs(workers, timeout=120)[1] == []
        return outcome

    def end(self) -> Outcome:
        out, err = self._process.communicate(timeout=300)
        return Outcome(self._process.returncode, out, err)


def wait_for(condition: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    end = time.monotonic() + 300
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("number", "models"),
    [
        (signal.SIGINT, ["query2box"]),
        (signal.SIGKILL, ["query2box"]),
        (signal.SIGTERM, ["query2box", "transe"]),
    ],
    ids=["interrupted", "killed", "two at once terminated"],
)
def test_interrupted_and_resumed_is_as_unbroken(
    q2b: Run,
    families_data: Path,
    tmp_path: Path,
    unbroken: Path,
    number: signal.Signals,
    models: list[str],
) -> None:
    out = tmp_path / "out"
    file = write_experiment(
        tmp_path / "e.toml",
        {"settings": LONG},
        datasets=[str(families_data)],
        models=models,
        jobs=len(models),
    )
    with Interrupted(file, *(out / "families" / f"{model}-0" for model in models)) as process:
        outcome = process.interrupt(number)
    kinds = [kind for kind, _ in journal(out)]
    if "stopped" in kinds:
        assert outcome.code == 130
        assert outcome.err.endswith("stopped; the same command goes on\n")
    else:  # killed, or on a busy machine over before the signal came
        assert outcome.code in (0, -signal.SIGKILL)
    assert q2b("experiment", file, "--no-plots", "--json").json["whole"]
    whole = evaluations(unbroken)
    assert evaluations(out) == {k: v for k, v in whole.items() if any(m in k for m in models)}
    assert not list(out.rglob("*.tmp"))
