"""`q2b report` as a user meets it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from command_line import Run
from families import TINY, families, save_families
from query2box.experiment.judging import evaluate
from query2box.experiment.run import train


@pytest.fixture(scope="module")
def runs(families_data: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two seeds of one system, and another system."""
    folder = tmp_path_factory.mktemp("runs")
    return [
        train(families_data, folder / f"{model}-{seed}", model, seed=seed, settings=TINY).path
        for model, seed in (("query2box", 0), ("query2box", 1), ("gqe", 0))
    ]


def test_a_whole_report(q2b: Run, runs: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "report"
    found = q2b("report", *runs, "--out", out, "--split", "test", "--json").json
    assert found == {"out": str(out), **json.loads((out / "report.json").read_text())}
    assert [run["run"] for run in found["runs"]] == ["query2box-0", "query2box-1", "gqe-0"]
    table = found["tables"]["hits3-families"]
    figures = [evaluate(run, split="test")["structures"]["2i"]["hits@3"] for run in runs]
    shown = table["columns"].index("2i")
    assert table["rows"][0][:2] == ["query2box", 2]
    assert table["rows"][0][shown]["mean"] == pytest.approx((figures[0] + figures[1]) / 2)
    assert table["rows"][1][:2] == ["gqe", 1]
    assert table["rows"][1][shown] == figures[2]
    for name in found["tables"]:
        assert {path.suffix for path in (out / "tables").glob(f"{name}.*")} == {
            ".csv",
            ".md",
            ".tex",
        }
    pictures = ("structures", "time", "learning", "ranks", "boxes")
    assert {f"plots/{name}-families.svg" for name in pictures} == set(found["plots"])
    page = (out / "index.html").read_text()
    assert page.count("data:image/svg+xml;base64,") == len(found["plots"])
    text = (out / "report.md").read_text()
    assert all((out / name).is_file() and name in text for name in found["plots"])


def test_it_is_told_where_it_is(q2b: Run, runs: list[Path], tmp_path: Path) -> None:
    words = ("report", runs[0], "--out", tmp_path / "report", "--no-plots", "--limit", 2)
    assert str(tmp_path / "report" / "index.html") in q2b(*words).out
    again = q2b(*words, "--json").json
    assert again["plots"] == []
    assert again["runs"][0]["average"]["queries"] == 6
    assert not (tmp_path / "report" / "plots").exists()


def test_a_run_that_cannot_be_judged_has_a_row(q2b: Run, runs: list[Path], tmp_path: Path) -> None:
    unfinished = shutil.copytree(runs[0], tmp_path / "unfinished")
    (unfinished / "model.safetensors").unlink()
    damaged = shutil.copytree(runs[1], tmp_path / "damaged")
    (damaged / "model.safetensors").write_bytes(b"no model")
    other = train(families(2), tmp_path / "other", settings=TINY).path
    words = ("report", runs[2], unfinished, damaged, other, "--out", tmp_path / "report")
    outcome = q2b(*words, "--no-plots")
    assert outcome.code == 0
    assert outcome.out.count("left out: ") == 3
    found = json.loads((tmp_path / "report" / "report.json").read_text())
    states = [row[-1] for row in found["tables"]["runs"]["rows"]]
    assert states[0] == "finished"
    for state, words in zip(
        states[1:], ("no model.safetensors yet", "damaged", "no valid edges"), strict=True
    ):
        assert words in state
    (table,) = (table for name, table in found["tables"].items() if name.startswith("hits3-"))
    assert [row[0] for row in table["rows"]] == ["gqe"]


def test_graphs_of_one_name_are_told_apart(q2b: Run, runs: list[Path], tmp_path: Path) -> None:
    save_families(tmp_path / "families", 4)
    other = train(tmp_path / "families", tmp_path / "other", settings=TINY).path
    words = ("report", runs[0], other, "--out", tmp_path / "report", "--no-plots", "--limit", 3)
    names = [row[0] for row in q2b(*words, "--json").json["tables"]["datasets"]["rows"]]
    assert len(set(names)) == 2
    assert all(name.startswith("families ") for name in names)


def test_help(q2b: Run) -> None:
    assert "q2b report runs/fb237-*" in q2b("report", "--help").out


def test_bad_options(q2b: Run, runs: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "report"
    for words, message in (
        ([runs[0]], "Missing option '--out'"),
        (["--out", out], "Missing argument 'RUN...'"),
        ([runs[0], "--out", out, "--split", "train"], "--split is valid or test, not 'train'"),
        ([tmp_path / "nowhere", "--out", out], "nowhere: there is no such run folder"),
        ([tmp_path, "--out", out], "this is no run folder"),
        ([runs[0], "--out", runs[0]], "the folder holds"),
    ):
        assert message in q2b("report", *words).complaint
    assert not out.exists()


def test_no_run_can_be_judged(q2b: Run, runs: list[Path], tmp_path: Path) -> None:
    run = shutil.copytree(runs[0], tmp_path / "run")
    (run / "model.safetensors").unlink()
    complaint = q2b("report", run, "--out", tmp_path / "report").complaint
    assert "the run has no model.safetensors yet" in complaint
    assert not (tmp_path / "report").exists()


def test_without_matplotlib(
    q2b: Run, runs: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    words = ("report", runs[0], "--out", tmp_path / "report", "--limit", 2)
    assert "pip install 'query2box[report]'" in q2b(*words).complaint
    assert q2b(*words, "--no-plots").code == 0
