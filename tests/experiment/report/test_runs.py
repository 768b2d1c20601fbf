"""Runs as reports see them, whatever their files hold."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from query2box.errors import RunError
from query2box.experiment.config import resolve
from query2box.experiment.report.runs import Point, collect, figures_of

GRAPH = {"name": "families", "fingerprint": "0"}


def test_a_run(tiny_run: Path, tmp_path: Path) -> None:
    run = shutil.copytree(tiny_run, tmp_path / "run")
    (found,) = collect([run, run / "." / "graph" / ".."], "valid")  # named twice
    assert (found.name, found.steps, found.finished, found.problem) == ("run", 100, True, "")
    assert found.evaluation is not None
    assert found.minutes > 0
    assert found.validations[-1].step == 100
    assert found.reliability is not None
    assert set(found.reliability.errors) == {"1p", "2i", "2u"}
    assert all(0 <= x <= 1 and 0 <= y <= 1 for x, y in found.reliability.bins)
    assert found.reliability.bins


@pytest.mark.parametrize("text", ["", "[]", '{"report": 1}', '{"report": {"structures": []}}'])
def test_a_calibration_that_cannot_be_read(tiny_run: Path, tmp_path: Path, text: str) -> None:
    run = shutil.copytree(tiny_run, tmp_path / "run")
    (run / "calibration.json").write_text(text)
    assert collect([run], "valid")[0].reliability is None


def test_journals_with_gaps() -> None:
    average = {"hits@3": 0.5}
    journal = [
        {"kind": "progress", "step": 1, "seconds": 2.0, "loss": float("nan")},
        {"kind": "progress", "step": 2, "seconds": 3.0, "loss": 1.5},
        {"kind": "progress", "step": 3},
        {"kind": "validation", "step": 3, "seconds": 60.0, "average": average},
        {"kind": "validation", "step": 4, "seconds": 90.0, "average": None},
        {"kind": "stop", "step": 4},
    ]
    found = figures_of("run", resolve().to_json() | {"graph": GRAPH}, journal, None)
    assert found.losses == (Point(2, 3.0, 1.5),)
    assert found.validations == (Point(3, 60.0, 0.5),)
    assert (found.steps, found.minutes, found.finished) == (3, 1.0, False)
    bare = figures_of("run", resolve().to_json() | {"graph": GRAPH}, [], None)
    assert (bare.steps, bare.minutes) == (0, 0.0)


@pytest.mark.parametrize(
    "change, message",
    [
        ({"graph": None}, "does not say what graph"),
        ({"graph": {"name": 1}}, "does not say what graph"),
        ({"nonsense": 1}, "unknown option 'nonsense'"),
        ({"model": []}, "tables of options"),
    ],
)
def test_damaged_configs(
    tiny_run: Path, tmp_path: Path, change: dict[str, object], message: str
) -> None:
    run = shutil.copytree(tiny_run, tmp_path / "run")
    config = json.loads((run / "config.json").read_text())
    (run / "config.json").write_text(json.dumps(config | change))
    with pytest.raises(RunError, match=message) as error:
        collect([run], "valid")
    assert str(run / "config.json") in str(error.value)


def test_no_runs() -> None:
    with pytest.raises(RunError, match="at least one run"):
        collect([], "valid")
