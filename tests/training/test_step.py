"""One step: every system, any shape of query, and the same as a plain one."""

from __future__ import annotations

from functools import cache

import pytest
import torch

from families import families
from query2box.model.config import SYSTEMS, ModelConfig
from query2box.model.embedding import QueryEmbedding
from query2box.training.batches import Batch, Batches
from query2box.training.config import TrainingConfig
from query2box.training.optimizer import BETAS, EPSILON, Optimizer
from query2box.training.plain import plain_loss
from query2box.training.step import loss_shape, train_step
from shapes import SHAPES

GRAPH = families()
CONFIG = TrainingConfig(
    batch_size=8, pool=40, num_negatives=12, chunk=5, structures=SHAPES, margin=0.5, least=0.0
)


def make_model(system: str = "query2box", **options: object) -> QueryEmbedding:
    config = SYSTEMS[system].model(ModelConfig(dim=8, gamma=6.0, **options))
    generator = torch.Generator().manual_seed(0)
    return QueryEmbedding(config, GRAPH.num_entities, 2 * GRAPH.num_relations, generator)


@cache
def make_batch(step: int = 0) -> Batch:
    return Batches(GRAPH.adjacency, CONFIG, 0, threads=1).batch(step)


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_system_learns_from_any_shape(system: str) -> None:
    model = make_model(system)
    optimizer = Optimizer(model)
    shape = loss_shape(model, CONFIG)
    losses = [train_step(model, optimizer, make_batch(), shape, 0.02).loss for _ in range(15)]
    assert all(map(torch.isfinite, map(torch.tensor, losses)))
    assert losses[-1] < losses[0]
    assert all(bool(p.isfinite().all()) for p in model.parameters())


@pytest.mark.parametrize("stretch", [False, True])
@pytest.mark.parametrize("operator_input", ["box", "part"])
@pytest.mark.parametrize("system", SYSTEMS)
def test_a_step_is_a_plain_step(system: str, operator_input: str, stretch: bool) -> None:
    """The first one, at which Adam on rows and Adam on tables agree."""
    options = {"operator_input": operator_input, "stretch": stretch}
    model, twin = (make_model(system, **options) for _ in range(2))
    shape = loss_shape(model, CONFIG)
    found = train_step(model, Optimizer(model), make_batch(), shape, 0.01).loss

    adam = torch.optim.Adam(twin.parameters(), lr=0.01, betas=BETAS, eps=EPSILON)
    loss = plain_loss(twin, make_batch(), shape)
    loss.backward()
    gradients = {name: p.grad for name, p in twin.named_parameters()}
    adam.step()

    assert found == pytest.approx(loss.item(), rel=1e-4)
    for name, parameter in model.named_parameters():
        # A first step of Adam is a sign: gradients that are all but zero may take either.
        sure = gradients[name].abs() > 1e-5 if gradients[name] is not None else slice(0)
        torch.testing.assert_close(
            parameter[sure], twin.get_parameter(name)[sure], rtol=1e-3, atol=1e-4
        )


def test_rows_that_take_no_part_stay() -> None:
    config = TrainingConfig(batch_size=1, pool=4, num_negatives=1, chunk=1, structures=("1p",))
    batch = Batches(GRAPH.adjacency, config, 0, threads=1).batch(0)
    model = make_model()
    before = model.points.detach().clone()
    train_step(model, Optimizer(model), batch, loss_shape(model, config), 0.01)
    part = set(batch.rows.tolist())
    changed = (model.points != before).any(1).nonzero().flatten().tolist()
    assert set(changed) <= part
    assert changed


def test_threads_change_nothing() -> None:
    models = [make_model() for _ in range(3)]
    for threads, model in enumerate(models, start=1):
        optimizer = Optimizer(model)
        for step in range(3):
            train_step(model, optimizer, make_batch(step), loss_shape(model, CONFIG), 0.01, threads)
    for name, parameter in models[0].named_parameters():
        for other in models[1:]:
            assert torch.equal(parameter, other.get_parameter(name))
