"""`q2b evaluate` as a user meets it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from command_line import Run
from families import TINY
from query2box.experiment import queries as sampling
from query2box.library import evaluate, train

FIGURES = {"mrr", "hits@1", "hits@3", "hits@10", "queries"}


@pytest.fixture(scope="module")
def run(families_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return train(families_data, tmp_path_factory.mktemp("runs") / "run", settings=TINY).path


def test_json(q2b: Run, run: Path) -> None:
    found = q2b("evaluate", run, "--split", "valid", "--json").json
    assert {"average", "structures", "seconds"} <= found.keys()
    assert set(found["average"]) == FIGURES
    assert all(set(row) == FIGURES for row in found["structures"].values())
    assert found["structures"] == evaluate(run, split="valid")["structures"]
    assert found["reliability"] == evaluate(run, split="valid")["reliability"]


def test_a_table(q2b: Run, run: Path) -> None:
    outcome = q2b("evaluate", run, "--split", "test")
    assert outcome.code == 0
    assert outcome.err == ""
    for word in ("structure", "MRR", "H@3", "ECE", "1p", "2i", "2u", "average"):
        assert word in outcome.out


def test_a_file_and_a_limit(q2b: Run, run: Path, families_data: Path) -> None:
    words = ("--queries", families_data / "valid-queries.jsonl", "--limit", 2, "--json")
    assert q2b("evaluate", run, *words).json["average"]["queries"] == 6


def test_link_prediction(q2b: Run, run: Path) -> None:
    found = q2b("evaluate", run, "--split", "test", "--link-prediction", "--json").json
    assert list(found["structures"]) == ["1p"]
    assert found["average"]["queries"] == 16


def test_by_missing_edges(q2b: Run, run: Path) -> None:
    words = ("evaluate", run, "--split", "test", "--by-missing-edges")
    shares = q2b(*words, "--json").json["by_missing_edges"]
    assert FIGURES | {"answers"} <= shares["1"].keys()
    assert "missing edges" in q2b(*words).out


def test_help(q2b: Run) -> None:
    found = q2b("evaluate", "--help")
    assert found.code == 0
    assert "q2b evaluate runs/countries" in found.out


def test_sampled_queries_are_told_of(
    q2b: Run, run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sampling, "SAMPLED", 3)
    other = shutil.copytree(run, tmp_path / "run")
    document = json.loads((other / "config.json").read_text())
    document["graph"]["folder"] = None
    (other / "config.json").write_text(json.dumps(document))
    assert "these were sampled" in q2b("evaluate", other, "--split", "valid").err
    assert q2b("evaluate", other, "--split", "valid", "--json").json["source"] == "sampled"


def test_names_of_structures_do_not_move_the_cursor(q2b: Run, run: Path, tmp_path: Path) -> None:
    path = tmp_path / "queries.jsonl"
    line = {"structure": "[red]\x1b[2J", "query": ["p", "married", ["e", 0]], "hard": [1]}
    path.write_text(json.dumps(line) + "\n")
    outcome = q2b("evaluate", run, "--queries", path)
    assert outcome.code == 0
    assert "\x1b" not in outcome.out
    assert "[red]\\x1b[2J" in outcome.out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "say either --queries FILE or --split valid|test"),
        (["--split", "valid", "--queries", "x"], "say either --queries FILE or --split"),
        (["--split", "train"], "--split is valid or test, not 'train'"),
        (["--queries", "nowhere.jsonl"], "nowhere.jsonl: No such file"),
        (["--queries", "nowhere.jsonl", "--link-prediction"], "edges of a split"),
        (["--split", "valid", "--data", "nowhere"], "there is no dataset 'nowhere'"),
        (["--split", "valid", "--limit", "-1"], "Invalid value for '--limit'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_options(q2b: Run, run: Path, words: list[str], message: str) -> None:
    assert message in q2b("evaluate", run, *words).complaint


@pytest.mark.parametrize(
    ("name", "keep"),
    [
        ("model.safetensors", 0),
        ("model.safetensors", -1),
        ("config.json", 40),
        ("graph/train.tsv", 9),
    ],
)
def test_damaged_files_are_named(q2b: Run, run: Path, tmp_path: Path, name: str, keep: int) -> None:
    other = shutil.copytree(run, tmp_path / "run")
    (other / name).write_bytes((other / name).read_bytes()[:keep])
    complaint = q2b("evaluate", other, "--split", "valid").complaint
    assert str(other / name) in complaint
    assert "damaged" in complaint


def test_no_run(q2b: Run, tmp_path: Path) -> None:
    assert "no such run folder" in q2b("evaluate", tmp_path / "x", "--split", "valid").complaint
    assert "no run folder" in q2b("evaluate", tmp_path, "--split", "valid").complaint


def test_a_broken_query_is_named(q2b: Run, run: Path, tmp_path: Path) -> None:
    path = tmp_path / "queries.jsonl"
    path.write_text('{"query": ["p", "marrid", ["e", 0]], "hard": [1]}\n')
    complaint = q2b("evaluate", run, "--queries", path).complaint
    assert f"{path}:1: unknown relation 'marrid'; did you mean 'married'?" in complaint


def test_no_hard_answers(q2b: Run, run: Path, tmp_path: Path) -> None:
    path = tmp_path / "queries.jsonl"
    path.write_text('{"query": ["p", "married", ["e", 0]]}\n')
    assert "hard answer" in q2b("evaluate", run, "--queries", path).complaint
