"""Questions as boxes: one by one, in batches, and in every system of the paper."""

from __future__ import annotations

from functools import cache

import pytest
import torch

from query2box.model.config import SYSTEMS, ModelConfig
from query2box.model.embedding import QueryEmbedding
from query2box.model.operators import Box
from query2box.query.dnf import disjuncts, to_dnf
from query2box.query.nodes import Query
from query2box.query.skeleton import slot_counts, structure
from shapes import SHAPES, UNNAMED

ENTITIES, RELATIONS, DIM = 11, 6, 5


@cache
def make_model(system: str = "query2box", operator_input: str = "box") -> QueryEmbedding:
    config = SYSTEMS[system].model(ModelConfig(dim=DIM, operator_input=operator_input))
    generator = torch.Generator().manual_seed(0)
    return QueryEmbedding(config, ENTITIES, RELATIONS, generator)


def slots(shape: str, queries: int) -> tuple[torch.Tensor, torch.Tensor]:
    entities, relations = slot_counts(structure(shape))
    generator = torch.Generator().manual_seed(1)
    return (
        torch.randint(0, ENTITIES, (queries, entities), generator=generator),
        torch.randint(0, RELATIONS, (queries, relations), generator=generator),
    )


def boxes(model: QueryEmbedding, shape: str, entities, relations) -> Box:
    with torch.no_grad():
        return model.boxes(structure(shape), model.points[entities], relations)


def embed(model: QueryEmbedding, skeleton: Query, entities, relations) -> Box:
    steps = model.relation_step(relations).split(lambda part: part.unbind(1))
    return model.embed(skeleton, model.points[entities].unbind(1), relations, steps)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("system", SYSTEMS)
def test_batched_is_one_by_one(system: str, shape: str) -> None:
    model = make_model(system)
    entities, relations = slots(shape, 7)
    batch = boxes(model, shape, entities, relations)
    count = len(disjuncts(to_dnf(structure(shape))))
    assert batch.center.shape == batch.offset.shape == (7, count, model.config.dim)
    for row in range(7):
        alone = boxes(model, shape, entities[row : row + 1], relations[row : row + 1])
        torch.testing.assert_close(alone.center[0], batch.center[row])
        torch.testing.assert_close(alone.offset[0], batch.offset[row])


def test_paths_add_up() -> None:
    model = make_model()
    entities, relations = slots("3p", 4)
    found = boxes(model, "3p", entities, relations)
    with torch.no_grad():
        center = model.points[entities[:, 0]] + model.centers[relations].sum(1)
        torch.testing.assert_close(found.center[:, 0], center)
        torch.testing.assert_close(found.offset[:, 0], model.offsets[relations].abs().sum(1))


def test_an_intersection_is_its_operator() -> None:
    model = make_model()
    entities, relations = slots("pi", 4)
    with torch.no_grad():
        short = Box(
            model.points[entities[:, 0]] + model.centers[relations[:, 0]],
            model.offsets[relations[:, 0]],
        )
        long = Box(
            model.points[entities[:, 1]] + model.centers[relations[:, 1:]].sum(1),
            model.offsets[relations[:, 1:]].sum(1),
        )
        wanted = model.intersect(Box(*map(torch.stack, zip(short, long, strict=True))))
    found = boxes(model, "pi", entities, relations)
    torch.testing.assert_close(found.center[:, 0], wanted.center)
    torch.testing.assert_close(found.offset[:, 0], wanted.offset)


@pytest.mark.parametrize("shape", ["2u", "up", "u(i(p(e),p(e)),p(p(e)))"])
def test_a_union_is_the_boxes_of_its_disjuncts(shape: str) -> None:
    model = make_model()
    entities, relations = slots(shape, 4)
    found = boxes(model, shape, entities, relations)
    with torch.no_grad():
        for number, one in enumerate(disjuncts(to_dnf(structure(shape)))):
            alone = embed(model, one, entities, relations)
            assert torch.equal(alone.center, found.center[:, number])


def test_a_shared_variable_is_one_box_used_twice() -> None:
    model = make_model()
    entities, relations = slots("i(p(v1(p(e))),p(v1(p(e))))", 4)
    assert (entities.shape[1], relations.shape[1]) == (1, 3)
    found = boxes(model, "i(p(v1(p(e))),p(v1(p(e))))", entities, relations)
    twice = boxes(
        model,
        "i(p(p(e)),p(p(e)))",
        entities.repeat(1, 2),
        relations[:, [0, 1, 0, 2]],
    )
    torch.testing.assert_close(found.center, twice.center)
    torch.testing.assert_close(found.offset, twice.offset)


def test_a_union_must_be_rewritten_first() -> None:
    model = make_model()
    entities, relations = slots("2u", 1)
    with pytest.raises(ValueError, match="to_dnf"):
        embed(model, structure("2u"), entities, relations)


@pytest.mark.parametrize("shape", ["1p", "2i", *UNNAMED])
def test_points_have_no_size(shape: str) -> None:
    for system in ("gqe", "gqe-double", "transe"):
        assert not boxes(make_model(system), shape, *slots(shape, 4)).offset.any()


@pytest.mark.parametrize("shape", ["1p", "2i", *UNNAMED])
def test_the_shared_offset_is_one_size_for_all(shape: str) -> None:
    model = make_model("q2b-sharedoffset")
    found = boxes(model, shape, *slots(shape, 4)).offset
    assert found.any()
    assert torch.equal(found, model.offsets.abs().expand_as(found))


def test_an_adaptive_box_depends_on_its_relations() -> None:
    found = boxes(make_model(), "1p", *slots("1p", 9)).offset
    assert len(found.unique(dim=0)) > 1
    assert (found > 0).all()


def test_twice_the_dimensions() -> None:
    assert make_model("gqe-double").points.shape == (ENTITIES, 2 * DIM)
    assert make_model("gqe").points.shape == (ENTITIES, DIM)


def test_gqe_has_the_papers_parameters() -> None:
    """GQE-double has as many for entities and relations as Query2box with its offsets."""
    sizes = [
        sum(p.numel() for p in (m.points, m.centers, m.offsets))
        for m in map(make_model, ("gqe", "gqe-double", "query2box", "q2b-sharedoffset"))
    ]
    gqe = (ENTITIES + RELATIONS) * DIM
    assert sizes == [gqe, 2 * gqe, gqe + RELATIONS * DIM, gqe + DIM]


def test_relations_have_offsets_of_at_least_zero() -> None:
    model = make_model()
    with torch.no_grad():
        model.offsets[0, 0] = -1.0
        found = model.relation_step(torch.arange(RELATIONS)).offset
    assert (found >= 0).all()


def test_initial_values_are_the_seeds_alone() -> None:
    def model(seed: int) -> dict[str, torch.Tensor]:
        generator = torch.Generator().manual_seed(seed)
        return QueryEmbedding(ModelConfig(dim=4), 3, 2, generator).state_dict()

    one, same, other = model(0), model(0), model(1)
    assert all(torch.equal(one[name], same[name]) for name in one)
    assert not torch.equal(one["points"], other["points"])
    reach = (24 + 2) / 4
    assert one["points"].abs().max() <= reach
    assert 0 <= one["offsets"].min() <= one["offsets"].max() <= reach
