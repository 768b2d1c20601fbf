"""`train` and `evaluate` as Python has them: with probabilities, and how good they are."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import query2box
from families import TINY, families
from query2box.answering.calibration import CALIBRATION, Calibration
from query2box.bundle import Bundle
from query2box.experiment.queries import evaluation_queries
from query2box.experiment.run import Spectator
from query2box.library import evaluate, train


def test_they_are_the_public_ones() -> None:
    assert query2box.train is train
    assert query2box.evaluate is evaluate


class Stopper(Spectator):
    """Stops at once."""

    def stopped(self) -> bool:
        return True


def test_a_finished_run_is_calibrated(families_data: Path, tmp_path: Path) -> None:
    run = train(families_data, tmp_path / "run", settings=TINY, spectator=Stopper())
    assert not run.finished
    assert Calibration.load(run.path) is None
    assert train(families_data, tmp_path / "run", resume=True).finished
    calibration = Calibration.load(run.path)
    assert calibration is not None
    assert set(calibration.report["structures"]) == {"1p", "2i", "2u"}


def test_a_calibration_of_another_model_does_not_stay(tiny_run: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    out.mkdir()
    shutil.copy(tiny_run / CALIBRATION, out)
    run = train(families(), out, settings=TINY)  # no validation edges, so nothing to fit to
    assert run.finished
    assert not (out / CALIBRATION).exists()


@pytest.mark.parametrize("split", ["valid", "test"])
def test_reliability_is_in_the_report(tiny_run: Path, split: str) -> None:
    report = evaluate(tiny_run, split=split)
    found = report["reliability"]
    assert found["by"] == {"valid": "cross-validation", "test": "calibration"}[split]
    assert found["queries"] == report["average"]["queries"]
    assert set(found["structures"]) == set(report["structures"])
    for figures in (found, *found["structures"].values()):
        assert 0 <= figures["ece"] <= 1
        assert 0 <= figures["top10"] <= 1


def test_validation_queries_are_as_reliable_as_the_run_says(tiny_run: Path) -> None:
    calibration = Calibration.load(tiny_run)
    assert calibration is not None
    found = evaluate(tiny_run, split="valid")["reliability"]
    assert found == {"by": "cross-validation", **calibration.report}


def test_certain_answers_that_are_wrong_are_told(tiny_run: Path, tmp_path: Path) -> None:
    """Whoever is sure of everything is off by the share of what is not true."""
    run = shutil.copytree(tiny_run, tmp_path / "run")
    document = json.loads((run / CALIBRATION).read_text())
    sure = {"weight": 0.0, "distances": [0.0], "probabilities": [1.0]}
    (run / CALIBRATION).write_text(json.dumps({**document, "shapes": {}, "pooled": sure}))
    bundle = Bundle.load(run)
    groups = evaluation_queries(bundle.graph, "test", bundle.folder)
    unknown = sum((bundle.graph.num_entities - group.easy.counts).sum() for group in groups)
    true = sum(len(group.hard.values) for group in groups)
    found = evaluate(run, split="test")["reliability"]
    assert found["ece"] == pytest.approx(1 - true / unknown)


def test_link_prediction_says_nothing_of_probabilities(tiny_run: Path) -> None:
    assert "reliability" not in evaluate(tiny_run, split="test", link_prediction=True)


def test_one_structure_may_have_several_shapes(tiny_run: Path, tmp_path: Path) -> None:
    path = tmp_path / "queries.jsonl"
    lines = [
        {"structure": "mine", "query": ["p", "married", ["e", 0]], "hard": [1]},
        {"structure": "mine", "query": ["p", "lives", ["p", "child", ["e", 0]]], "hard": [2]},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = evaluate(Bundle.load(tiny_run), queries=path)["reliability"]
    assert found["queries"] == 2
    assert found["structures"]["mine"] == {name: found[name] for name in ("ece", "top10")}
