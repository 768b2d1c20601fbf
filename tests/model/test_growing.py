"""Models that grow: old parameters bit by bit, new ones where the edges put them."""

from __future__ import annotations

import pytest
import torch

from query2box.model.config import ModelConfig
from query2box.model.embedding import QueryEmbedding
from query2box.model.growing import ROUNDS, grow


def model_of(entities: int, relations: int, **options: object) -> QueryEmbedding:
    config = ModelConfig(**{"dim": 4, **options})
    return QueryEmbedding(config, entities, 2 * relations, torch.Generator().manual_seed(1))


def grown(model: QueryEmbedding, entities: int, relations: int, edges) -> QueryEmbedding:
    rows = torch.tensor(edges, dtype=torch.int32).reshape(-1, 3)
    return grow(model, entities, 2 * relations, rows, torch.Generator().manual_seed(2))


@pytest.mark.parametrize("offset", ["adaptive", "shared", "none"])
@pytest.mark.parametrize("center", ["attention", "average", "deepsets"])
@pytest.mark.parametrize("stretch", [False, True])
def test_what_was_learnt_is_kept(offset: str, center: str, stretch: bool) -> None:
    old = model_of(3, 2, offset=offset, center=center, stretch=stretch)
    new = grown(old, 5, 3, [(0, 1, 3), (4, 2, 1)])
    assert new.points.shape == (5, 4)
    assert new.centers.shape == (6, 4)
    sizes = {name: len(tensor) for name, tensor in old.state_dict().items()}
    assert sizes.keys() == new.state_dict().keys()
    for name, tensor in old.state_dict().items():
        assert torch.equal(new.state_dict()[name][: sizes[name]], tensor), name


def test_an_entity_is_where_its_neighbours_say() -> None:
    old = model_of(3, 2)
    new = grown(old, 4, 2, [(0, 1, 3), (3, 0, 1)])
    told = (old.points[0] + old.centers[2], old.points[1] + old.centers[1])
    assert torch.allclose(new.points[3], sum(told) / 2)


def test_a_neighbour_is_stretched_as_its_relation_says() -> None:
    old = model_of(2, 1, stretch=True)
    with torch.no_grad():
        old.stretches.uniform_(-2, 2, generator=torch.Generator().manual_seed(3))
    new = grown(old, 3, 2, [(0, 0, 2), (1, 1, 0)])
    assert torch.allclose(new.points[2], old.points[0] * old.stretches[0] + old.centers[0])
    assert torch.equal(new.stretches[2:], torch.ones(2, 4))


def test_a_relation_is_the_mean_way_from_heads_to_tails() -> None:
    old = model_of(3, 1)
    new = grown(old, 3, 2, [(0, 1, 1), (2, 1, 1)])
    way = old.points[1] - (old.points[0] + old.points[2]) / 2
    assert torch.allclose(new.centers[2], way, atol=1e-6)
    assert torch.allclose(new.centers[3], -way, atol=1e-6)
    assert torch.allclose(new.offsets[2:], old.offsets.abs().mean(0).expand(2, -1))


def test_chains_are_followed_from_what_is_known() -> None:
    """0 is known; 1 by relation 0; relation 1 by 1 and 0; 2 by relation 1; and so on."""
    old = model_of(1, 1)
    new = grown(old, 3, 2, [(0, 0, 1), (0, 1, 1), (1, 1, 2)])
    assert torch.allclose(new.points[1], old.points[0] + old.centers[0])
    assert torch.allclose(new.centers[2], old.centers[0], atol=1e-6)
    assert torch.allclose(new.points[2], old.points[0] + 2 * old.centers[0], atol=1e-6)


def test_what_nothing_ties_to_the_known_is_random_but_finite() -> None:
    old = model_of(2, 1)
    chain = [(i, 0, i + 1) for i in range(1, ROUNDS + 5)]
    new = grown(old, ROUNDS + 10, 2, [*chain, (ROUNDS + 8, 1, ROUNDS + 8)])
    assert all(bool(tensor.isfinite().all()) for tensor in new.state_dict().values())
    last = new.points[ROUNDS + 1]
    assert torch.allclose(last, old.points[1] + ROUNDS * old.centers[0], atol=1e-4)
