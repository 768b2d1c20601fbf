"""Heads side by side are one model, and come apart again."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from query2box.kernels.reference import dist_box
from query2box.model.config import ModelConfig
from query2box.model.embedding import QueryEmbedding
from query2box.model.heads import join, split
from query2box.query.skeleton import slot_counts, structure
from shapes import SHAPES

ENTITIES, RELATIONS = 9, 4

CONFIGS = st.builds(
    ModelConfig,
    dim=st.sampled_from([1, 6]),
    heads=st.sampled_from([1, 2, 3]),
    center=st.sampled_from(["attention", "average", "deepsets"]),
    offset=st.sampled_from(["adaptive", "shared", "none"]),
    operator_input=st.sampled_from(["box", "part"]),
    hidden=st.sampled_from([0, 5]),
    stretch=st.booleans(),
)


def make_model(config: ModelConfig) -> QueryEmbedding:
    return QueryEmbedding(config, ENTITIES, RELATIONS, torch.Generator().manual_seed(0))


@given(CONFIGS)
def test_apart_and_together_again(config: ModelConfig) -> None:
    model = make_model(config)
    heads = split(model)
    assert [head.config for head in heads] == [config.head] * config.heads
    again = join(heads)
    assert again.config == config
    assert again.state_dict().keys() == model.state_dict().keys()
    for name, tensor in model.state_dict().items():
        assert torch.equal(again.get_parameter(name), tensor), name


@given(CONFIGS, st.sampled_from(SHAPES))
def test_distances_add_up(config: ModelConfig, shape: str) -> None:
    """Box by box; a union then takes the nearest of boxes of all heads together."""
    model = make_model(config)
    entities, relations = slot_counts(structure(shape))
    generator = torch.Generator().manual_seed(1)
    anchors = torch.randint(0, ENTITIES, (5, entities), generator=generator)
    steps = torch.randint(0, RELATIONS, (5, relations), generator=generator)

    def distances(one: QueryEmbedding) -> torch.Tensor:
        center, offset = one.boxes(structure(shape), one.points[anchors], steps)
        points = one.points[:, None, None]
        return dist_box(points, center, offset, one.config.alpha)

    with torch.no_grad():
        expected = sum(distances(head) for head in split(model))
        torch.testing.assert_close(distances(model), expected)


@pytest.mark.parametrize("heads", [2, 3])
def test_heads_learn_without_each_other(heads: int) -> None:
    """What is done to one head of a split model changes neither the model nor the others."""
    model = make_model(ModelConfig(dim=2, heads=heads))
    first, *others = split(model)
    with torch.no_grad():
        for parameter in first.parameters():
            parameter.add_(1)
    for name, tensor in join(split(model)).state_dict().items():
        assert torch.equal(tensor, model.get_parameter(name))
    for part, head in zip(model.points.chunk(heads, 1)[1:], others, strict=True):
        assert torch.equal(part, head.points)
