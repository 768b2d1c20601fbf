from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from families import families
from query2box.answering.calibration import CALIBRATION, Calibration, fit
from query2box.answering.isotonic import Chance, Curve
from query2box.answering.reasoner import Reasoner
from query2box.answering.space import Space
from query2box.bundle import Bundle
from query2box.errors import DataError, RunError
from query2box.experiment.queries import evaluation_queries
from query2box.query.nodes import shape
from query2box.query.skeleton import STRUCTURES, parse_shape
from query2box.workload.sampler import sample_evaluation
from reasoners import random_reasoner

EVERYWHERE = np.linspace(0, 100, 1001)


@pytest.fixture(scope="module")
def calibration(tiny_run: Path) -> Calibration:
    found = Calibration.load(tiny_run)
    assert found is not None
    return found


def test_probabilities_fall_with_the_distance_within_a_shape(calibration: Calibration):
    for skeleton in (*STRUCTURES.values(), parse_shape("p(p(p(p(e))))")):
        for ranks in (1, 7, np.arange(1, len(EVERYWHERE) + 1)):
            found = calibration.probabilities(skeleton, EVERYWHERE, ranks)
            assert (np.diff(found) <= 0).all()
            assert 0 <= found[-1] <= found[0] <= 1
        one_distance = calibration.probabilities(skeleton, np.full(1000, 5.0), np.arange(1, 1001))
        assert (np.diff(one_distance) <= 0).all()


def test_probabilities_of_answers_fall_with_their_distance(tiny_run: Path):
    reasoner = Reasoner.load(tiny_run)
    for name in reasoner.graph.entities:
        for only in (None, "predicted"):
            answers = reasoner.answer(f"?x : child('{name}', ?x)", 1000, only=only)
            predicted = [answer.probability for answer in answers if not answer.known]
            assert predicted == sorted(predicted, reverse=True)
            assert predicted[0] > predicted[-1]


def test_an_answer_is_as_likely_whoever_else_may_answer(tiny_run: Path):
    reasoner = Reasoner.load(tiny_run)
    steep = Chance(2.0, Curve(np.array([0.0, 100.0]), np.array([1.0, 0.0])))
    reasoner.calibration = Calibration({}, steep, steep.curve)  # every rank counts
    question = "?x : child(mother0, ?x) | child(mother1, ?x)"
    answers = reasoner.answer(question, 1000)
    assert reasoner.answer(question, 1000, candidates=range(reasoner.graph.num_entities)) == answers
    for answer in answers:
        assert reasoner.answer(question, candidates=[answer.entity]) == [answer]
        assert reasoner.explain(question, answer.entity).answer == answer
    few = [answers[i].entity for i in (3, 9, 30)]
    assert reasoner.answer(question, candidates=few) == [answers[i] for i in (3, 9, 30)]


def test_shapes_never_seen_share_a_curve(calibration: Calibration):
    assert set(calibration.shapes) == {shape(STRUCTURES[name]) for name in ("1p", "2i", "2u")}
    for name in ("3p", "ip"):
        found = calibration.probabilities(STRUCTURES[name], EVERYWHERE, 3)
        assert found.tolist() == calibration.pooled(EVERYWHERE, 3).tolist()


def test_the_error_is_reported_in_all_and_by_structure(calibration: Calibration):
    report = calibration.report
    assert set(report["structures"]) == {"1p", "2i", "2u"}
    for figures in (report, *report["structures"].values()):
        assert 0 <= figures["ece"] <= 1
        assert 0 <= figures["top10"] <= 1
    assert report["queries"] > 0


def test_what_is_fitted_is_what_was_true():
    """All entities in one place: distance says nothing, and the share of true ones remains."""
    graph = families(held_out=8)
    group = sample_evaluation(graph, "valid", STRUCTURES["1p"], 10, seed=0)
    reasoner = random_reasoner(graph)
    with torch.no_grad():
        reasoner.model.points.zero_()
        reasoner.model.centers.zero_()
    calibration = fit(reasoner.space, [group])
    # What is told apart is told apart by rank, that is, by id: the mean over ranks counts.
    candidates = graph.num_entities - group.easy.counts
    ranks = np.concatenate([np.arange(1, n + 1) for n in candidates])
    found = calibration.probabilities(group.skeleton, np.zeros(len(ranks)), ranks)
    assert found.sum() == pytest.approx(len(group.hard.values), abs=1)
    assert calibration.edges(EVERYWHERE) == pytest.approx(
        np.full(len(EVERYWHERE), len(group.hard.values) / len(ranks))
    )


def test_a_calibration_survives_its_file(calibration: Calibration, tmp_path: Path):
    calibration.save(tmp_path)
    again = Calibration.load(tmp_path)
    assert again is not None
    assert again.report == calibration.report
    for skeleton in STRUCTURES.values():
        one, other = (c.probabilities(skeleton, EVERYWHERE, 2) for c in (calibration, again))
        assert one.tolist() == other.tolist()


CURVE = {"weight": 0.5, "distances": [1.0, 2.0], "probabilities": [0.5, 0.1]}
WHOLE = {"shapes": {}, "pooled": CURVE, "edges": CURVE, "report": {}}


@pytest.mark.parametrize(
    "document",
    [
        "",
        "[]",
        {name: part for name, part in WHOLE.items() if name != "pooled"},
        {name: part for name, part in WHOLE.items() if name != "edges"},
        {**WHOLE, "shapes": []},
        {**WHOLE, "shapes": {"p(e)": 3}},
        {**WHOLE, "report": 3},
        *(
            {**WHOLE, "pooled": {**CURVE, **damage}}
            for damage in (
                {"weight": -1},
                {"weight": float("inf")},
                {"weight": None},
                {"distances": [2.0, 1.0]},
                {"distances": [1.0]},
                {"distances": [1.0, float("inf")]},
                {"distances": ["a", "b"]},
                {"probabilities": [0.1, 0.5]},
                {"probabilities": [1.5, 0.5]},
                {"probabilities": [float("nan")] * 2},
                {"distances": [], "probabilities": []},
            )
        ),
    ],
)
def test_a_damaged_calibration_is_named(tmp_path: Path, document: object):
    text = document if isinstance(document, str) else json.dumps(document)
    (tmp_path / CALIBRATION).write_text(text)
    with pytest.raises(RunError, match=CALIBRATION):
        Calibration.load(tmp_path)


def test_without_validation_queries_the_loss_alone_speaks(tmp_path: Path):
    assert Calibration.load(tmp_path) is None
    with pytest.raises(DataError):
        fit(random_reasoner(families()).space, [])
    guess = random_reasoner(families()).calibration
    assert not guess.is_fitted
    found = guess.probabilities(STRUCTURES["1p"], EVERYWHERE, 1)
    assert (np.diff(found) <= 0).all()
    assert guess.probabilities(STRUCTURES["1p"], 2.0, 5) == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize("gamma", [0.01, 24.0, 1e6])
def test_a_guess_needs_no_special_gamma(gamma: float):
    found = Calibration.uncalibrated(gamma).probabilities(STRUCTURES["1p"], EVERYWHERE, 1)
    assert np.isfinite(found).all()


def test_fitting_again_gives_the_same(tiny_run: Path, calibration: Calibration):
    bundle = Bundle.load(tiny_run)
    again = fit(Space(bundle.model), evaluation_queries(bundle.graph, "valid", bundle.folder))
    assert again.report == calibration.report
