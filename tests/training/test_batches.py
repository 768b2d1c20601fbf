"""What a step trains on depends on the seed and the step's number, and is true."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest
import torch

from families import families
from query2box.query.nodes import Query
from query2box.query.skeleton import instantiate, structure
from query2box.training.batches import Batch, Batches
from query2box.training.config import TrainingConfig
from query2box.workload.denotation import denotation
from shapes import SHAPES

GRAPH = families()


def make_batches(seed: int = 0, **options: object) -> Batches:
    defaults = {"batch_size": 6, "pool": 20, "num_negatives": 10, "chunk": 4, "reuse": 2}
    return Batches(GRAPH.adjacency, TrainingConfig(**(defaults | options)), seed, threads=1)


def queries(batch: Batch) -> Iterator[Query]:
    for part in batch.parts:
        for entities, relations in zip(part.entities, part.relations, strict=True):
            yield instantiate(part.skeleton, entities.tolist(), relations.tolist())


def answers(batch: Batch) -> list[list[int]]:
    offsets = batch.targets.answer_offsets.tolist()
    values = batch.targets.answers.tolist()
    return [values[a:b] for a, b in pairwise(offsets)]


def same(one: Batch, other: Batch) -> bool:
    return list(queries(one)) == list(queries(other)) and all(
        torch.equal(a, b) for a, b in zip(one.targets[:-1], other.targets[:-1], strict=True)
    )


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
    for query, ids, positive in zip(asked, found, batch.targets.positives.tolist(), strict=True):
        assert ids == denotation(query, GRAPH).tolist()
        assert positive in ids


def test_one_part_a_structure_in_their_order() -> None:
    batch = make_batches(structures=("2i", "1p")).batch(0)
    assert [part.skeleton for part in batch.parts] == [structure("2i"), structure("1p")]


def test_the_shapes_that_the_kernel_wants() -> None:
    targets = make_batches().batch(0).targets
    assert targets.positives.shape == targets.weights.shape == (30,)
    assert targets.negatives.shape == (8, 10)
    assert (targets.negatives.diff(dim=1) >= 0).all()
    assert 0 <= targets.negatives.min() <= targets.negatives.max() < GRAPH.num_entities


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
    torch.testing.assert_close(equal.targets.weights, torch.full((30,), 1 / 30))
    by_answers = make_batches(weighting="answers").batch(0)
    wanted = np.array([(4 + len(ids)) ** -0.5 for ids in answers(by_answers)])
    np.testing.assert_allclose(by_answers.targets.weights, wanted / wanted.sum(), rtol=1e-5)


def test_without_a_filter_the_positive_alone_is_left_out() -> None:
    batch = make_batches(filter_negatives=False).batch(0)
    assert answers(batch) == [[positive] for positive in batch.targets.positives.tolist()]


def test_positives_are_redrawn_each_time() -> None:
    batches = make_batches(pool=6, structures=("2p",), reuse=50)
    drawn: dict[str, set[int]] = {}
    for step in range(50):
        batch = batches.batch(step)
        for query, positive in zip(queries(batch), batch.targets.positives.tolist(), strict=True):
            drawn.setdefault(str(query), set()).add(positive)
    found = {
        str(query): set(ids) for query, ids in zip(queries(batch), answers(batch), strict=True)
    }
    assert drawn == found
