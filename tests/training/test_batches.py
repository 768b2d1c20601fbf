"""What a step trains on depends on the seed and the step's number, and is true."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from batches import answers, positives, queries, same, weights
from families import families
from query2box.query.skeleton import skeleton_of, structure
from query2box.training.batches import ENDLESS, Batches
from query2box.training.config import TrainingConfig
from query2box.workload.denotation import denotation
from shapes import SHAPES

GRAPH = families()


def make_batches(seed: int = 0, **options: object) -> Batches:
    defaults = {
        "batch_size": 6,
        "structures": ("1p", "2p", "3p", "2i", "3i"),
        "pool": 20,
        "num_negatives": 10,
        "chunk": 4,
        "reuse": 2,
    }
    return Batches(GRAPH.adjacency, TrainingConfig(**(defaults | options)), seed, threads=1)


def test_a_batch_is_its_seed_and_its_step() -> None:
    straight = make_batches()
    forwards = [straight.batch(step) for step in range(12)]
    for step in (11, 0, 5, 4):
        assert same(make_batches().batch(step), forwards[step])
    assert not same(forwards[0], forwards[1])
    assert not same(forwards[0], make_batches(seed=1).batch(0))


@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_answers_are_the_denotation(direction: str) -> None:
    batch = make_batches(structures=SHAPES, direction=direction).batch(3)
    found = answers(batch)
    asked = list(queries(batch))
    assert len(asked) == len(found) == 6 * len(SHAPES)
    for query, ids, drawn in zip(asked, found, positives(batch), strict=True):
        assert ids == denotation(query, GRAPH).tolist()
        assert set(drawn) <= set(ids)
        assert len(set(drawn)) == min(len(drawn), len(ids))


def test_shares_of_structures() -> None:
    batches = make_batches(structures=("1p*2", "2i*0.5", "2p"))
    for step in range(4):
        asked = [skeleton_of(query)[0] for query in queries(batches.batch(step))]
        counts = [asked.count(structure(name)) for name in ("1p", "2i", "2p")]
        assert counts == [12, 3, 6]


def test_a_part_a_structure_in_their_order() -> None:
    batch = make_batches(structures=("2i", "1p"), batch_size=40, pool=40).batch(0)
    assert len(batch.shards) > 1
    for shard in batch.shards:
        found = [part.skeleton for part in shard.parts]
        assert found == [s for s in (structure("2i"), structure("1p")) if s in found]


def test_the_shapes_that_the_kernel_wants() -> None:
    shards = make_batches().batch(0).shards
    assert sum(len(shard.targets.order) for shard in shards) == 30
    for shard in shards:
        targets = shard.targets
        size = len(targets.order)
        assert sorted(targets.order.tolist()) == list(range(size))
        assert targets.positives.shape == (size, 4)
        assert targets.weights.shape == targets.sizes.shape == targets.chances.shape == (size,)
        assert targets.negatives.shape == targets.shifts.shape == (-(-size // 4), 10)
        assert (targets.negatives.diff(dim=1) >= 0).all()
        assert 0 <= targets.negatives.min() <= targets.negatives.max() < GRAPH.num_entities
        assert targets.shifts.isfinite().all()
        assert shard.links is not None
        assert sorted(targets.own_negatives.tolist()) == sorted(shard.anchors.tolist())
        others = 2 * len(shard.anchors) + 2 * len(shard.links.heads)
        assert len(shard.rows) == 4 * size + targets.negatives.numel() + others


def test_every_query_of_a_pool_is_used_before_any_comes_again() -> None:
    batches = make_batches(pool=18, structures=("2p",), reuse=1)
    first = [q for step in range(3) for q in queries(batches.batch(step))]
    pool = batches._pool[1][0]
    assert sorted(map(str, first)) == sorted(str(pool.query(row)) for row in range(len(pool)))
    again = [q for step in range(3, 6) for q in queries(batches.batch(step))]
    assert sorted(map(str, again)) != sorted(map(str, first))


def test_a_pool_is_used_several_times_in_another_order() -> None:
    batches = make_batches(pool=18, structures=("2p",), reuse=2)
    turns = [
        [str(q) for step in range(3 * turn, 3 * turn + 3) for q in queries(batches.batch(step))]
        for turn in range(3)
    ]
    assert sorted(turns[0]) == sorted(turns[1])
    assert turns[0] != turns[1]
    assert sorted(turns[1]) != sorted(turns[2])


def test_a_batch_larger_than_its_pool() -> None:
    batch = make_batches(batch_size=50, pool=7).batch(0)
    assert len(list(queries(batch))) == 250


def test_weights() -> None:
    equal = make_batches().batch(0)
    torch.testing.assert_close(weights(equal), torch.full((30,), 1 / 30))
    by_answers = make_batches(weighting="answers").batch(0)
    wanted = np.array([(4 + len(ids)) ** -0.5 for ids in answers(by_answers)])
    np.testing.assert_allclose(weights(by_answers), wanted / wanted.sum(), rtol=1e-5)


def test_without_a_filter_the_positive_alone_is_left_out() -> None:
    batch = make_batches(filter_negatives=False).batch(0)
    assert answers(batch) == [sorted(drawn) for drawn in positives(batch)]


def test_positives_are_redrawn_each_time() -> None:
    batches = make_batches(pool=6, structures=("2p",), reuse=50, positives=1)
    drawn: dict[str, set[int]] = {}
    for step in range(50):
        batch = batches.batch(step)
        for query, row in zip(queries(batch), positives(batch), strict=True):
            drawn.setdefault(str(query), set()).update(row)
    found = {
        str(query): set(ids) for query, ids in zip(queries(batch), answers(batch), strict=True)
    }
    assert drawn == found


def test_boxes_are_open_in_their_share_of_dimensions() -> None:
    offsets = torch.rand(50, 80, requires_grad=True)
    shards = [shard for step in (0, 1) for shard in make_batches(open=0.3).batch(step).shards]
    chosen = [shard.opened(offsets) == ENDLESS for shard in shards]
    for shard, own in zip(shards, chosen, strict=True):
        assert own.float().mean() == pytest.approx(0.3, abs=0.05)
        found = shard.opened(offsets)
        assert torch.equal(found == ENDLESS, own)
        assert torch.equal(found[~own], offsets[~own])
        (gradient,) = torch.autograd.grad(found[own].sum() + found[~own].sum(), offsets)
        assert torch.equal(gradient, (~own).float())
    for number, own in enumerate(chosen):
        assert not any(torch.equal(own, other) for other in chosen[:number])


def test_without_a_share_boxes_stay_closed() -> None:
    offsets = torch.rand(5, 8)
    assert torch.equal(make_batches(open=0.0).batch(0).shards[0].opened(offsets), offsets)
