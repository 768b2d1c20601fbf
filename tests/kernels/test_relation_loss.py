"""Telling relations apart: the fused loss against its torch twin, and edges as they are drawn."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st
from torch import Tensor

from query2box.kernels.loss import Links, LossShape, relation_loss


class Case(NamedTuple):
    points: Tensor
    centers: Tensor
    offsets: Tensor
    stretches: Tensor
    links: Links


def make_case(
    seed: int,
    *,
    entities: int = 9,
    dim: int = 5,
    edges: int = 7,
    relations: int = 6,
    known: float = 0.3,
    zero_offsets: bool = False,
    stretched: bool = True,
) -> Case:
    """Random edges; `known` is the share of relations that also hold between their ends."""
    generator = np.random.default_rng(seed)

    def normal(*shape: int) -> Tensor:
        return torch.from_numpy(generator.normal(size=shape).astype(np.float32))

    heads, tails = generator.integers(0, entities, (2, edges), np.int32)
    own = generator.integers(0, relations, edges, np.int32)
    lists = [
        sorted({int(r), *np.flatnonzero(generator.random(relations) < known).tolist()}) for r in own
    ]
    links = Links(
        torch.arange(relations),
        torch.from_numpy(heads),
        torch.from_numpy(tails),
        torch.from_numpy(own),
        torch.tensor([0, *map(len, lists)]).cumsum(0),
        torch.tensor([r for row in lists for r in row], dtype=torch.int32),
        torch.from_numpy(generator.random(edges, np.float32)),
        torch.from_numpy(generator.random(edges, np.float32)),
    )
    offsets = torch.zeros(relations, dim) if zero_offsets else normal(relations, dim).abs()
    stretches = normal(relations, dim) if stretched else torch.ones(relations, dim)
    return Case(normal(entities, dim), normal(relations, dim), offsets, stretches, links)


SMALL = st.integers(1, 9)
CASES = st.builds(
    make_case,
    st.integers(0, 2**32),
    entities=SMALL,
    dim=SMALL,
    edges=SMALL,
    relations=SMALL,
    known=st.sampled_from([0.0, 0.3, 1.0]),
    zero_offsets=st.booleans(),
    stretched=st.booleans(),
)
SHAPE = LossShape(alpha=0.2, gamma=1.0, softmax=1.0, margin=0.0, relation=0.5)


@given(CASES, st.sampled_from([0.02, 0.2, 1.0]), st.sampled_from([0.0, 0.5, 2.0]))
@example(make_case(0, edges=1, dim=1, relations=1), 0.2, 0.5)
@example(make_case(1, known=1.0), 0.2, 0.5)
@example(make_case(2, dim=400, relations=33), 0.2, 1.0)
def test_fused_is_plain(case: Case, alpha: float, weight: float) -> None:
    shape = replace(SHAPE, alpha=alpha, relation=weight)
    ways = (relation_loss(*case, shape, fused=fused) for fused in (True, False))
    for fused, plain in zip(*ways, strict=True):
        assert torch.isfinite(fused).all()
        torch.testing.assert_close(fused, plain, rtol=2e-4, atol=2e-5)


def test_a_relation_among_known_ones_alone_costs_nothing() -> None:
    found = relation_loss(*make_case(0, known=1.0), SHAPE)
    assert found.losses.abs().max() < 1e-6
    assert found.entities.abs().max() < 1e-6


@pytest.mark.parametrize("least", [0.05, 10.0])
def test_what_is_left_to_chance_is_right_on_average(least: float) -> None:
    case = make_case(0, edges=3, relations=9)
    exact = relation_loss(*case, SHAPE)
    grid = 16_000
    means = [torch.zeros_like(part) for part in exact]
    for number in range(grid):
        chances = torch.full_like(case.links.chances, (number + 0.5) / grid)
        own = case._replace(links=case.links._replace(chances=chances))
        found = relation_loss(*own, replace(SHAPE, least=least))
        means = [mean + part / grid for mean, part in zip(means, found, strict=True)]
    for mean, part in zip(means, exact, strict=True):
        torch.testing.assert_close(mean, part, rtol=1e-2, atol=1e-3)
