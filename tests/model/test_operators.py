"""What section 3.2 promises of its operators."""

from __future__ import annotations

from itertools import permutations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from query2box.model.config import ModelConfig
from query2box.model.networks import CENTER_NETWORKS
from query2box.model.operators import Box, Intersect, Step, project

INPUTS = ("box", "part")
OFFSETS = ("adaptive", "shared", "none")


@st.composite
def boxes(draw: st.DrawFn, most: int = 5) -> Box:
    """Operands [n, B, D]."""
    shape = tuple(draw(st.integers(1, high)) for high in (most, 3, 6))
    generator = torch.Generator().manual_seed(draw(st.integers(0, 2**32)))
    center = 3 * torch.randn(shape, generator=generator)
    offset = torch.randn(shape, generator=generator).abs()
    if draw(st.booleans()):
        offset[0] = 0
    return Box(center, offset)


def operator(dim: int, center: str = "attention", **options: str) -> Intersect:
    torch.manual_seed(0)
    return Intersect(ModelConfig(dim=dim, center=center, **options))


@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize("operator_input", INPUTS)
@pytest.mark.parametrize("center", CENTER_NETWORKS)
@settings(max_examples=25)
@given(operands=boxes(most=3))
def test_the_order_of_operands_does_not_matter(center, operator_input, offset, operands) -> None:
    intersect = operator(
        operands.center.shape[-1], center, operator_input=operator_input, offset=offset
    )
    found = intersect(operands)
    for order in permutations(range(len(operands.center))):
        shuffled = intersect(Box(*(part[list(order)] for part in operands)))
        torch.testing.assert_close(shuffled.center, found.center)
        torch.testing.assert_close(shuffled.offset, found.offset)


@pytest.mark.parametrize("operator_input", INPUTS)
@pytest.mark.parametrize("center", CENTER_NETWORKS)
@settings(max_examples=25)
@given(operands=boxes())
def test_the_offset_is_at_most_the_smallest(center, operator_input, operands) -> None:
    intersect = operator(operands.center.shape[-1], center, operator_input=operator_input)
    found = intersect(operands).offset
    assert (found >= 0).all()
    for offset in operands.offset:
        assert (found <= offset).all()


@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize("center", ["attention", "average"])
@settings(max_examples=25)
@given(operands=boxes())
def test_the_centre_lies_among_the_operands(center, offset, operands) -> None:
    found = operator(operands.center.shape[-1], center, offset=offset)(operands).center
    slack = 1e-5 * operands.center.abs().amax(0)
    assert (found >= operands.center.amin(0) - slack).all()
    assert (found <= operands.center.amax(0) + slack).all()


@given(boxes())
def test_the_average_is_the_mean(operands: Box) -> None:
    found = operator(operands.center.shape[-1], "average")(operands).center
    torch.testing.assert_close(found, operands.center.sum(0) / len(operands.center))


@given(boxes())
def test_attention_is_the_papers(operands: Box) -> None:
    """a_i = exp(MLP(p_i)) / sum over j of exp(MLP(p_j)), a dimension at a time."""
    intersect = operator(operands.center.shape[-1])
    layers = intersect.heads[0].center

    def mlp(index: int) -> torch.Tensor:
        whole = torch.cat((operands.center[index], operands.offset[index]), -1)
        hidden = torch.nn.functional.linear(whole, layers.inner.weight, layers.inner.bias)
        return layers.outer(hidden.clamp_min(0))

    weights = [mlp(index).exp() for index in range(len(operands.center))]
    total = sum(w * c for w, c in zip(weights, operands.center, strict=True)) / sum(weights)
    torch.testing.assert_close(intersect(operands).center, total, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize("operator_input", INPUTS)
@pytest.mark.parametrize("center", CENTER_NETWORKS)
@settings(max_examples=25)
@given(operands=boxes(), data=st.data())
def test_offsets_that_are_the_same_may_be_looked_at_once(
    center, operator_input, offset, operands, data
) -> None:
    """The boxes are the same, and so is everything that is learnt."""
    shape = operands.center.shape
    number = st.integers(0, 2)
    kinds = torch.tensor(
        [[data.draw(number) for _ in range(shape[1])] for _ in range(shape[0])], dtype=torch.long
    )
    sizes = torch.rand(3, shape[2], generator=torch.Generator().manual_seed(0))
    intersect = operator(shape[2], center, operator_input=operator_input, offset=offset)
    found = []
    for given_kinds in (None, kinds):
        centers, table = operands.center.clone().requires_grad_(), sizes.clone().requires_grad_()
        box = intersect(Box(centers, table[kinds]), given_kinds)
        total = (box.center.sin() + box.offset.cos()).sum()
        leaves = (centers, table, *intersect.parameters())
        found.append([*box, *torch.autograd.grad(total, leaves, allow_unused=True)])
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)


def test_the_authors_operators_look_at_their_own_part_alone() -> None:
    intersect = operator(4, operator_input="part")
    torch.manual_seed(1)
    one = Box(torch.randn(2, 3, 4), torch.rand(2, 3, 4))
    wider = Box(one.center, one.offset + 1)
    elsewhere = Box(one.center + 1, one.offset)
    assert torch.equal(intersect(one).center, intersect(wider).center)
    assert torch.equal(intersect(one).offset, intersect(elsewhere).offset)
    whole = operator(4, operator_input="box")
    assert not torch.equal(whole(one).center, whole(wider).center)
    assert not torch.equal(whole(one).offset, whole(elsewhere).offset)


@given(boxes(), st.integers(0, 2**32))
def test_projection_translates_and_never_shrinks(box: Box, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    relation = Step(
        torch.randn(box.center.shape[1:], generator=generator),
        torch.rand(box.center.shape[1:], generator=generator),
    )
    found = project(box, relation)
    assert (found.offset >= box.offset).all()
    torch.testing.assert_close(found.center - relation.center, box.center)
    torch.testing.assert_close(found.upper - found.lower, 2 * (box.offset + relation.offset))


@given(boxes(), st.integers(0, 2**32))
def test_stretching_takes_the_corners_of_a_box_where_it_takes_points(box: Box, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    factors = torch.randn(box.center.shape[1:], generator=generator)
    nothing = torch.zeros_like(factors)
    found = project(box, Step(nothing, nothing, factors))
    assert (found.offset >= 0).all()
    corners = torch.stack((box.lower * factors, box.upper * factors))
    torch.testing.assert_close(found.lower, corners.amin(0), rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(found.upper, corners.amax(0), rtol=1e-4, atol=1e-5)


def test_factors_of_one_are_the_papers_projection() -> None:
    torch.manual_seed(1)
    box = Box(torch.randn(3, 4), torch.rand(3, 4))
    plain = Step(torch.randn(3, 4), torch.rand(3, 4))
    stretched = plain._replace(stretch=torch.ones(3, 4))
    assert all(map(torch.equal, project(box, plain), project(box, stretched)))
