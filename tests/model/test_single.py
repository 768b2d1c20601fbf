"""One question at a time by numpy, against the model itself."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from query2box.model.config import ModelConfig
from query2box.model.embedding import QueryEmbedding
from query2box.model.single import SingleEmbedding
from query2box.query.nodes import Anchor, Projection, union
from query2box.query.skeleton import skeleton_of
from strategies import NUM_ENTITIES, NUM_RELATIONS, queries

CONFIGS = st.builds(
    ModelConfig,
    dim=st.sampled_from([3, 16]),
    heads=st.sampled_from([1, 2]),
    gamma=st.sampled_from([0.5, 4.0]),
    center=st.sampled_from(["attention", "average", "deepsets"]),
    offset=st.sampled_from(["adaptive", "shared", "none"]),
    operator_input=st.sampled_from(["box", "part"]),
    hidden=st.sampled_from([0, 5]),
    stretch=st.booleans(),
)


def make_model(config: ModelConfig, seed: int = 0) -> QueryEmbedding:
    generator = torch.Generator().manual_seed(seed)
    model = QueryEmbedding(config, NUM_ENTITIES, 2 * NUM_RELATIONS, generator)
    with torch.no_grad():
        model.offsets.sub_(1 / 8)  # some are negative: what counts is their size
        if model.stretches is not None:
            model.stretches.uniform_(-1.5, 1.5, generator=generator)
        for name, parameter in model.named_parameters():
            if name.endswith("bias"):
                parameter.uniform_(-1, 1, generator=generator)
    return model


@settings(max_examples=150)
@given(CONFIGS, queries(), st.integers(0, 100))
def test_the_boxes_are_the_models(config, query, seed):
    model = make_model(config, seed)
    skeleton, entities, relations = skeleton_of(query)
    with torch.no_grad():
        anchors = model.points[torch.tensor([entities])]
        expected = model.boxes(skeleton, anchors, torch.tensor([relations]))
    found = SingleEmbedding(model).boxes(skeleton, entities, relations)
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == np.float32
        # Networks within networks make more of a difference in rounding, but little of it.
        reach = (config.gamma + 2) / config.dim
        np.testing.assert_allclose(one, other[0].numpy(), rtol=1e-3, atol=5e-3 * reach)


@settings(max_examples=30)
@given(CONFIGS, st.lists(queries(), min_size=2, max_size=6))
def test_what_was_seen_before_changes_nothing(config, several):
    """One that has seen relations before, and threads for its heads, against fresh ones."""
    model = make_model(config)
    seasoned = SingleEmbedding(model, threads=2)
    for query in [*several, *reversed(several)]:
        asked = skeleton_of(query)
        fresh = SingleEmbedding(model).boxes(*asked)
        for one, other in zip(seasoned.boxes(*asked), fresh, strict=True):
            np.testing.assert_array_equal(one, other)


def test_it_reads_the_parameters_where_they_lie():
    model = make_model(ModelConfig(dim=4))
    single = SingleEmbedding(model)
    assert np.shares_memory(single.points, model.points.detach().numpy())
    with pytest.raises(ValueError, match="read-only"):
        single.points[0, 0] = 1.0


def test_a_union_is_rewritten_first():
    single = SingleEmbedding(make_model(ModelConfig(dim=4)))
    query = union(Projection(0, Anchor(0)), Projection(0, Anchor(1)))
    skeleton, entities, relations = skeleton_of(query)
    with pytest.raises(ValueError, match="to_dnf"):
        single.embed(skeleton, entities, relations)
    assert single.boxes(skeleton, entities, relations).center.shape == (2, 4)
