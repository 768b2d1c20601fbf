"""The loop: its schedule, whom it asks when, and that it can be taken up again."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from families import families
from query2box.errors import RunError
from query2box.evaluation.evaluator import evaluate_queries
from query2box.model.config import SYSTEMS, ModelConfig
from query2box.model.embedding import QueryEmbedding
from query2box.query.skeleton import structure
from query2box.training.config import TrainingConfig
from query2box.training.trainer import Progress, Trainer
from query2box.workload.query_set import QueryGroup, Ragged
from query2box.workload.sampler import sample_queries

GRAPH = families()


def make_trainer(
    seed: int = 0,
    system: str = "query2box",
    dim: int = 6,
    minutes: float | None = None,
    heads: int = 1,
    **options,
) -> Trainer:
    small = {"steps": 12, "batch_size": 4, "pool": 12, "num_negatives": 6, "chunk": 3, "travel": 0}
    model = QueryEmbedding(
        SYSTEMS[system].model(ModelConfig(dim=dim, heads=heads)),
        GRAPH.num_entities,
        2 * GRAPH.num_relations,
        torch.Generator().manual_seed(seed),
    )
    config = TrainingConfig(**(small | options))
    return Trainer(model, GRAPH.adjacency, config, seed, minutes, threads=1)


class Notebook:
    """A watcher that writes down what it is asked, and stops at a step."""

    def __init__(self, stop_at: int = 10**9, validations: int = 3) -> None:
        self.report_seconds = 0.0
        self.checkpoint_seconds = 1e9
        self.validations = validations
        self.stop_at = stop_at
        self.reports: list[Progress] = []
        self.validated: list[int] = []
        self.saved: list[tuple[int, dict[str, torch.Tensor]]] = []
        self.step = 0

    def report(self, progress: Progress) -> None:
        self.reports.append(progress)
        self.step = progress.step

    def validate(self, trainer: Trainer) -> None:
        self.validated.append(trainer.step)

    def checkpoint(self, trainer: Trainer) -> None:
        tensors = {name: tensor.clone() for name, tensor in trainer.tensors().items()}
        self.saved.append((trainer.step, tensors))

    def stopped(self) -> bool:
        return self.step >= self.stop_at


def test_a_run_asks_its_watcher() -> None:
    notebook = Notebook()
    assert make_trainer().run(notebook)
    assert [report.step for report in notebook.reports] == list(range(1, 13))
    assert notebook.reports[-1].share == 1
    assert notebook.validated == [4, 8, 12]
    assert [step for step, _ in notebook.saved] == [12]
    assert all(report.queries_per_second > 0 for report in notebook.reports)


def test_checkpoints_come_by_time() -> None:
    notebook = Notebook()
    notebook.checkpoint_seconds = 0.0
    make_trainer().run(notebook)
    assert [step for step, _ in notebook.saved] == [*range(1, 13), 12]


def test_more_validations_than_steps() -> None:
    notebook = Notebook(validations=100)
    make_trainer(steps=3).run(notebook)
    assert notebook.validated == [1, 2, 3]


def test_the_learning_rate_rises_and_falls() -> None:
    trainer = make_trainer(steps=10, warmup=0.2, learning_rate=1.0)
    rates = []
    for trainer.step in range(11):
        rates.append(trainer.learning_rate)
    np.testing.assert_allclose(rates, [0.5, 0.9, *np.linspace(0.8, 0, 9)], atol=1e-12)
    flat = make_trainer(steps=10, warmup=0.0, floor=1.0, learning_rate=0.5)
    for flat.step in range(11):
        assert flat.learning_rate == 0.5
    half = make_trainer(steps=10, warmup=0.0, floor=0.5, learning_rate=1.0)
    half.step = 10
    assert half.learning_rate == 0.5


@pytest.mark.parametrize("floor", [0.0, 0.5, 1.0])
def test_the_learning_rates_of_a_long_run_add_up_to_what_it_may_travel(floor: float) -> None:
    long = make_trainer(steps=1000, warmup=0.0, floor=floor, learning_rate=1.0, travel=3.0)
    rates = []
    for long.step in range(1000):
        rates.append(long.learning_rate)
    assert sum(rates) == pytest.approx(3.0, rel=2e-3)
    short = make_trainer(steps=10, warmup=0.0, floor=floor, learning_rate=0.1, travel=3.0)
    assert short.learning_rate == 0.1


def test_how_many_steps_there_will_be_is_seen_from_the_time_they_take() -> None:
    trainer = make_trainer(steps=10**6, minutes=1.0, learning_rate=1.0, warmup=0.0, travel=3.0)
    rates = []
    for trainer.step in range(600):
        trainer.seconds = trainer.step / 10
        rates.append(trainer.learning_rate)
    assert sum(rates[1:]) == pytest.approx(3.0, rel=1e-2)


def test_minutes_shape_the_run() -> None:
    trainer = make_trainer(steps=10**6, minutes=1.0, learning_rate=1.0, warmup=0.0)
    trainer.seconds = 15.0
    assert trainer.share == 0.25
    assert trainer.learning_rate == 0.75
    trainer.seconds = 70.0
    assert trainer.share == 1.0
    assert trainer.learning_rate == 0.0
    assert trainer.run(Notebook())


def test_steps_may_end_a_run_before_its_minutes() -> None:
    assert make_trainer(steps=2, minutes=60.0).run(Notebook())


@pytest.mark.parametrize("heads", [1, 2, 3])
def test_stopped_and_taken_up_again_is_unbroken(heads: int) -> None:
    whole = Notebook()
    make_trainer(heads=heads).run(whole)
    first = Notebook(stop_at=5)
    assert not make_trainer(heads=heads).run(first)
    ((step, tensors),) = first.saved
    assert step == 5
    again = make_trainer(heads=heads)
    again.restore(tensors, step, 0.0)
    second = Notebook()
    assert again.run(second)
    assert first.validated + second.validated == whole.validated
    losses = [report.loss for report in (*first.reports, *second.reports)]
    assert losses == [report.loss for report in whole.reports]
    for name, tensor in whole.saved[0][1].items():
        assert torch.equal(tensor, second.saved[0][1][name]), name


def test_a_seed_says_it_all() -> None:
    def trained(seed: int) -> dict[str, torch.Tensor]:
        notebook = Notebook()
        make_trainer(seed).run(notebook)
        return notebook.saved[0][1]

    one, same, other = trained(0), trained(0), trained(1)
    assert all(torch.equal(one[name], same[name]) for name in one)
    assert not torch.equal(one["0.model.points"], other["0.model.points"])


def test_heads_take_turns() -> None:
    trainer = make_trainer(heads=2)
    before = trainer.model.points.clone()
    trainer.train()
    moved = (trainer.model.points != before).any(0)
    assert moved[:6].any()
    assert not moved[6:].any()
    trainer.train()
    assert (trainer.model.points[:, 6:] != before[:, 6:]).any()


def test_heads_share_the_steps_that_a_run_may_take() -> None:
    """How far a number travels depends on the steps of its own head."""
    one, two = (make_trainer(heads=heads, travel=0.001, warmup=0.0) for heads in (1, 2))
    assert two.learning_rate == pytest.approx(2 * one.learning_rate)


def test_divergence_ends_the_run_and_keeps_what_was_good() -> None:
    notebook = Notebook()
    notebook.checkpoint_seconds = 0.0
    trainer = make_trainer(learning_rate=1e30, warmup=0.0)
    with pytest.raises(RunError, match=r"diverged at step \d+.*learning_rate"):
        trainer.run(notebook)
    for _, tensors in notebook.saved:
        assert all(bool(tensor.isfinite().all()) for tensor in tensors.values())


@pytest.mark.parametrize("name", ["points", "centers", "offsets"])
def test_a_ruined_model_is_not_kept(name: str) -> None:
    class Vandal(Notebook):
        def report(self, progress: Progress) -> None:
            super().report(progress)
            if progress.step == 12:
                with torch.no_grad():
                    trainer.model.get_parameter(name)[0, 0] = torch.inf

    trainer, vandal = make_trainer(), Vandal()
    with pytest.raises(RunError, match="diverged at step 12"):
        trainer.run(vandal)
    assert vandal.validated == [4, 8]
    assert vandal.saved == []


@pytest.mark.parametrize("system", ["query2box", "gqe"])
def test_families_are_learnt_by_heart(system: str) -> None:
    trainer = make_trainer(
        system=system,
        dim=32,
        steps=250,
        batch_size=32,
        pool=400,
        num_negatives=64,
        chunk=32,
        learning_rate=0.03,
        least=0.0,
    )
    trainer.run(Notebook())
    groups = [known_answers(name) for name in ("1p", "2p", "2i", "3i")]
    report = evaluate_queries(trainer.model, groups)
    found = {name: metrics.hits_1 for name, metrics in report.structures.items()}
    assert found == {"1p": 1.0, "2p": 1.0, "2i": 1.0, "3i": 1.0}


def known_answers(name: str) -> QueryGroup:
    """Queries whose answers on the training graph are to be found."""
    group = sample_queries(GRAPH.adjacency, structure(name), 100, seed=7, threads=1)
    return QueryGroup(
        name, group.skeleton, group.entities, group.relations, Ragged.empty(100), group.easy
    )
