"""`evaluate`: the figures of a run folder."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from families import TINY
from query2box.bundle import Bundle
from query2box.errors import DataError, RunError
from query2box.evaluation.evaluator import evaluate_queries, rank_group
from query2box.evaluation.link_prediction import link_queries
from query2box.evaluation.metrics import Metrics
from query2box.experiment import queries as sampling
from query2box.experiment.judging import evaluate
from query2box.experiment.queries import evaluation_queries
from query2box.experiment.run import train


@pytest.fixture(scope="module")
def run(families_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return train(families_data, tmp_path_factory.mktemp("runs") / "run", settings=TINY).path


def test_a_split(run: Path, families_data: Path) -> None:
    bundle = Bundle.load(run)
    wanted = evaluate_queries(
        bundle.model, evaluation_queries(bundle.graph, "test", families_data)
    ).to_json()
    found = evaluate(run, split="test")
    assert found.pop("seconds") >= 0
    assert found.pop("source") == str(families_data / "test-queries.jsonl")
    assert found == wanted
    assert list(found["structures"]) == ["1p", "2i", "2u"]
    assert found["average"]["queries"] == 18


def test_a_loaded_bundle_will_do(run: Path) -> None:
    assert evaluate(Bundle.load(run), split="valid")["average"]["queries"] == 18


def test_a_file(run: Path, families_data: Path) -> None:
    path = families_data / "valid-queries.jsonl"
    by_file, by_split = evaluate(run, queries=path), evaluate(run, split="valid")
    assert by_file["structures"] == by_split["structures"]
    assert evaluate(run, queries=path, limit=2)["average"]["queries"] == 6


def test_link_prediction(run: Path) -> None:
    bundle = Bundle.load(run)
    found = evaluate(run, split="test", link_prediction=True)
    ranks = rank_group(bundle.model, link_queries(bundle.graph, "test")).realistic
    assert found["average"] == Metrics.by_answer(ranks).to_json()
    assert found["average"]["queries"] == 2 * len(bundle.graph.edges_of("test")) == 16
    assert found["structures"] == {"1p": found["average"]}


@pytest.mark.parametrize("split", ["valid", "test"])
def test_by_missing_edges(run: Path, families_data: Path, split: str) -> None:
    found = evaluate(run, split=split, by_missing_edges=True)
    shares = found["by_missing_edges"]
    assert min(shares) == "1"
    hard = sum(
        len(json.loads(line)["hard"])
        for line in (families_data / f"{split}-queries.jsonl").read_text().splitlines()
    )
    assert sum(share["answers"] for share in shares.values()) == hard
    assert shares["1"]["structures"]["1p"] == found["structures"]["1p"]
    # A file's queries are recognised as of the split that they are of.
    by_file = evaluate(run, families_data / f"{split}-queries.jsonl", by_missing_edges=True)
    assert by_file["by_missing_edges"] == shares


def test_answers_without_a_proof(run: Path, tmp_path: Path) -> None:
    path = tmp_path / "queries.jsonl"
    path.write_text('{"query": ["p", "married", ["e", "child0.0"]], "hard": ["child0.0"]}\n')
    assert evaluate(run, queries=path)["average"]["queries"] == 1
    with pytest.raises(DataError, match="no proof on the run's graph"):
        evaluate(run, queries=path, by_missing_edges=True)


def test_a_dataset_that_moved(run: Path, families_data: Path, tmp_path: Path) -> None:
    shutil.copytree(families_data, tmp_path / "moved")
    found = evaluate(run, split="test", folder=tmp_path / "moved")
    assert found["source"] == str(tmp_path / "moved" / "test-queries.jsonl")
    (tmp_path / "moved" / "test-queries.jsonl").unlink()
    with pytest.raises(DataError, match=r"moved: there is no test-queries\.jsonl"):
        evaluate(run, split="test", folder=tmp_path / "moved")


def test_a_dataset_that_is_gone(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "SAMPLED", 3)
    other = shutil.copytree(run, tmp_path / "run")
    document = json.loads((other / "config.json").read_text())
    document["graph"]["folder"] = str(tmp_path / "gone")
    (other / "config.json").write_text(json.dumps(document))
    assert evaluate(other, split="valid")["source"] == "sampled"


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"queries": "file", "split": "valid"},
        {"queries": "file", "link_prediction": True},
        {"split": "valid", "link_prediction": True, "by_missing_edges": True},
    ],
    ids=str,
)
def test_what_does_not_go_together(run: Path, options: dict[str, object]) -> None:
    with pytest.raises(DataError):
        evaluate(run, **options)


def test_no_run(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="no such run folder"):
        evaluate(tmp_path / "run", split="valid")


def test_the_dataset_by_its_name(
    run: Path, families_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its query files count, as they do where the folder itself is named."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "families").symlink_to(families_data)
    monkeypatch.setenv("Q2B_SHARED", str(tmp_path))
    found = evaluate(run, split="test", folder="families")
    assert found["source"] == str(tmp_path / "data" / "families" / "test-queries.jsonl")
    with pytest.raises(DataError, match=r"no dataset 'famlies'.* did you mean families\?"):
        evaluate(run, split="test", folder="famlies")
