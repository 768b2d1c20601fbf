"""Evaluations that are kept with a run."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from families import TINY
from query2box.errors import DataError, RunError
from query2box.experiment.evaluations import evaluated, evaluation_file
from query2box.experiment.judging import evaluate
from query2box.experiment.run import train


@pytest.fixture
def data(families_data: Path, tmp_path: Path) -> Path:
    return shutil.copytree(families_data, tmp_path / "data")


@pytest.fixture(scope="module")
def trained(families_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return train(families_data, tmp_path_factory.mktemp("runs") / "run", settings=TINY).path


@pytest.fixture
def run(trained: Path, data: Path, tmp_path: Path) -> Path:
    """A run on the dataset of this test alone."""
    run = shutil.copytree(trained, tmp_path / "run")
    config = json.loads((run / "config.json").read_text())
    config["graph"]["folder"] = str(data)
    (run / "config.json").write_text(json.dumps(config))
    return run


def test_it_is_the_evaluation_and_more(run: Path, data: Path) -> None:
    found = evaluated(run, "test")
    plain = evaluate(run, split="test")
    assert {name: found[name] for name in ("average", "structures", "source")} == {
        name: plain[name] for name in ("average", "structures", "source")
    }
    assert (found["split"], found["limit"]) == ("test", 0)
    assert found["source"] == str(data / "test-queries.jsonl")
    assert found["details"].keys() == found["structures"].keys()
    assert "link_prediction" not in found


def test_what_was_found_is_read_again(run: Path) -> None:
    first = evaluated(run, "valid")
    assert json.loads(evaluation_file(run, "valid").read_text()) == first
    # The seconds are those of the first time.
    assert evaluated(run, "valid") == first


def test_each_limit_has_its_own(run: Path) -> None:
    few, all_ = evaluated(run, "valid", limit=2), evaluated(run, "valid")
    assert (few["average"]["queries"], all_["average"]["queries"]) == (6, 18)
    assert evaluated(run, "valid", limit=2) == few
    assert evaluated(run, "valid") == all_


def test_link_prediction_is_added(run: Path) -> None:
    first = evaluated(run, "test")
    more = evaluated(run, "test", link_prediction=True)
    assert (
        more.pop("link_prediction") == evaluate(run, split="test", link_prediction=True)["average"]
    )
    assert more == first
    assert "link_prediction" in evaluated(run, "test")


def test_another_model_is_noticed(run: Path, data: Path, tmp_path: Path) -> None:
    first = evaluated(run, "valid")
    other = train(data, tmp_path / "other", settings={**TINY, "seed": 1}).path
    shutil.copy(other / "model.safetensors", run)
    second = evaluated(run, "valid")
    assert second["model"] != first["model"]
    assert second["structures"] == evaluate(other, split="valid")["structures"]


def test_other_queries_are_noticed(run: Path, data: Path) -> None:
    path = data / "valid-queries.jsonl"
    evaluated(run, "valid")
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:3]))
    assert evaluated(run, "valid")["average"]["queries"] == 3


def test_a_dataset_that_is_gone_leaves_what_was_found(run: Path, data: Path) -> None:
    first = evaluated(run, "valid")
    shutil.rmtree(data)
    assert evaluated(run, "valid") == first


NOTHING = '{"average": {}, "structures": {}, "details": {}}'


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"average": 1}', NOTHING])
def test_a_damaged_file_is_made_again(run: Path, text: str) -> None:
    path = evaluation_file(run, "valid")
    path.parent.mkdir()
    path.write_text(text)
    found = evaluated(run, "valid")
    assert found["average"]["queries"] == 18
    assert json.loads(path.read_text()) == found


def test_what_cannot_be_evaluated(run: Path, tmp_path: Path) -> None:
    with pytest.raises(RunError, match="no such run folder"):
        evaluated(tmp_path / "nowhere", "valid")
    (run / "model.safetensors").unlink()
    with pytest.raises(RunError, match=r"the run has no model\.safetensors yet"):
        evaluated(run, "valid")


def test_a_graph_without_such_edges(tmp_path: Path) -> None:
    from families import families

    run = train(families(), tmp_path / "run", settings=TINY).path
    with pytest.raises(DataError, match="no valid edges"):
        evaluated(run, "valid")
    assert not evaluation_file(run, "valid").parent.exists()
