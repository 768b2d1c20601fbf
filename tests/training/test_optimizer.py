"""The optimizer against its twin and against torch's own."""

from __future__ import annotations

import pytest
import torch

from query2box.model.config import ModelConfig
from query2box.model.embedding import QueryEmbedding
from query2box.training import optimizer as module
from query2box.training.optimizer import BETAS, EPSILON, Optimizer


def make_model(seed: int = 0) -> QueryEmbedding:
    generator = torch.Generator().manual_seed(seed)
    return QueryEmbedding(ModelConfig(dim=4), 6, 4, generator)


def steps(count: int = 5, rows: int = 9) -> list[tuple[torch.Tensor, torch.Tensor]]:
    generator = torch.Generator().manual_seed(1)
    return [
        (torch.randint(0, 6, (rows,), generator=generator), _normal((rows, 4), generator))
        for _ in range(count)
    ]


def _normal(shape: tuple[int, ...], generator: torch.Generator) -> torch.Tensor:
    return torch.randn(shape, generator=generator)


def test_fused_is_plain() -> None:
    models = make_model(), make_model()
    optimizers = [Optimizer(model) for model in models]
    for rows, gradients in steps():
        for update, one in zip((module._fused, module._plain), optimizers, strict=True):
            update(one, rows, gradients, 0.01)
    torch.testing.assert_close(models[0].points, models[1].points)
    for fused, plain in zip(*(one.tensors().values() for one in optimizers), strict=True):
        torch.testing.assert_close(fused, plain)


def test_each_row_is_adam_of_its_own() -> None:
    model = make_model()
    optimizer = Optimizer(model)
    rows = [torch.nn.Parameter(row.clone()) for row in model.points.detach()]
    adams = [torch.optim.Adam([row], lr=0.01, betas=BETAS, eps=EPSILON) for row in rows]
    for touched, gradients in steps(rows=3):
        optimizer.step(touched, gradients, 0.01)
        for number in set(touched.tolist()):
            rows[number].grad = gradients[touched == number].sum(0)
            adams[number].step()
    counts = [
        len(adam.state) and int(adam.state[row]["step"])
        for row, adam in zip(rows, adams, strict=True)
    ]
    assert len(set(counts)) > 1  # some rows were updated more often than others
    assert optimizer.updates.tolist() == counts
    torch.testing.assert_close(model.points.detach(), torch.stack([r.detach() for r in rows]))


def test_where_every_row_is_touched_it_is_adam() -> None:
    model = make_model()
    optimizer = Optimizer(model)
    table = torch.nn.Parameter(model.points.detach().clone())
    adam = torch.optim.Adam([table], lr=0.01, betas=BETAS, eps=EPSILON)
    for _, gradients in steps(rows=6):
        optimizer.step(torch.arange(6), gradients, 0.01)
        table.grad = gradients
        adam.step()
    torch.testing.assert_close(model.points, table)


def test_rows_that_a_step_does_not_touch_stay() -> None:
    model = make_model()
    before = model.points.detach().clone()
    optimizer = Optimizer(model)
    optimizer.step(torch.tensor([2, 2]), torch.ones(2, 4), 0.01)
    changed = (model.points != before).any(1)
    assert changed.tolist() == [row == 2 for row in range(6)]
    assert optimizer.first_moment.any(1).tolist() == changed.tolist()


def test_the_rest_is_adam() -> None:
    model, twin = make_model(), make_model()
    optimizer = Optimizer(model)
    adam = torch.optim.Adam([twin.centers], lr=0.01, betas=BETAS, eps=EPSILON)
    for rows, gradients in steps():
        model.centers.grad = gradients[:4].clone()
        twin.centers.grad = gradients[:4].clone()
        optimizer.step(rows, gradients, 0.01)
        adam.step()
    torch.testing.assert_close(model.centers, twin.centers)
    assert torch.equal(model.offsets, twin.offsets)


def test_a_restored_optimizer_goes_on_as_if_nothing_had_happened() -> None:
    models = make_model(), make_model()
    unbroken, broken = map(Optimizer, models)
    for number, (rows, gradients) in enumerate(steps()):
        if number == 2:
            saved = {name: tensor.clone() for name, tensor in broken.tensors().items()}
            broken = Optimizer(models[1])
            broken.restore(saved, 2)
        for model, optimizer in zip(models, (unbroken, broken), strict=True):
            model.centers.grad = gradients[:4].clone()
            optimizer.step(rows, gradients, 0.01)
    for name, parameter in models[0].named_parameters():
        assert torch.equal(parameter, models[1].get_parameter(name)), name


@pytest.mark.parametrize("missing", ["points.first", "points.updates", "0.second"])
def test_moments_that_are_not_there(missing: str) -> None:
    optimizer = Optimizer(make_model())
    model_gradients(optimizer)
    optimizer.step(torch.arange(6), torch.ones(6, 4), 0.01)
    saved = {name: tensor for name, tensor in optimizer.tensors().items() if name != missing}
    with pytest.raises(KeyError):
        Optimizer(make_model()).restore(saved, 1)


def test_moments_of_another_size() -> None:
    optimizer = Optimizer(make_model())
    model_gradients(optimizer)
    optimizer.step(torch.arange(6), torch.ones(6, 4), 0.01)
    for name in optimizer.tensors():
        saved = {**optimizer.tensors(), name: torch.zeros(7, 7)}
        with pytest.raises(RuntimeError):
            Optimizer(make_model()).restore(saved, 1)


def model_gradients(optimizer: Optimizer) -> None:
    for parameter in optimizer.parameters:
        parameter.grad = torch.ones_like(parameter)
