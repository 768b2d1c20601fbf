"""The fused loss against its torch twin: values and gradients."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st
from torch import Tensor

from query2box.kernels.loss import Gradients, LossShape, Targets, box_loss


class Case(NamedTuple):
    points: Tensor
    centers: Tensor
    offsets: Tensor
    starts: Tensor
    targets: Targets


def make_case(
    seed: int,
    *,
    entities: int = 12,
    dim: int = 5,
    queries: int = 7,
    positives: int = 2,
    boxes: int = 3,
    negatives: int = 6,
    chunk: int = 4,
    answers: float = 0.3,
    own: int = 2,
    zero_offsets: bool = False,
) -> Case:
    """Random queries; `answers` is the share of entities that answer each of them."""
    generator = np.random.default_rng(seed)
    counts = generator.integers(1, boxes + 1, queries)

    def normal(*shape: int) -> Tensor:
        return torch.from_numpy(generator.normal(size=shape).astype(np.float32))

    chunks = -(-queries // chunk)
    positive = generator.integers(0, entities, (queries, positives), np.int32)
    lists = [
        sorted({*row.tolist(), *np.flatnonzero(generator.random(entities) < answers).tolist()})
        for row in positive
    ]
    alone = [
        sorted(generator.integers(0, entities, generator.integers(0, own + 1)).tolist())
        for _ in range(queries)
    ]
    targets = Targets(
        chunk,
        torch.from_numpy(positive),
        torch.from_numpy(generator.permutation(queries)),
        torch.from_numpy(np.sort(generator.integers(0, entities, (chunks, negatives), np.int32))),
        normal(chunks, negatives),
        torch.tensor([0, *map(len, lists)]).cumsum(0),
        torch.tensor([entity for row in lists for entity in row], dtype=torch.int32),
        torch.tensor([0, *map(len, alone)]).cumsum(0),
        torch.tensor([entity for row in alone for entity in row], dtype=torch.int32),
        torch.tensor([len(row) for row in lists]).log(),
        torch.from_numpy(generator.random(queries, np.float32)),
        torch.from_numpy(generator.random(queries, np.float32)),
    )
    total = int(counts.sum())
    near = (5 / dim) ** 0.5  # or else many dimensions give distances that floats are too coarse for
    offsets = torch.zeros(total, dim) if zero_offsets else near * normal(total, dim).abs()
    starts = torch.tensor([0, *counts.tolist()]).cumsum(0)
    return Case(near * normal(entities, dim), near * normal(total, dim), offsets, starts, targets)


SMALL = st.integers(1, 9)
CASES = st.builds(
    make_case,
    st.integers(0, 2**32),
    entities=st.integers(1, 20),
    dim=SMALL,
    queries=SMALL,
    positives=st.integers(1, 3),
    boxes=st.integers(1, 4),
    negatives=SMALL,
    chunk=SMALL,
    answers=st.sampled_from([0.0, 0.3, 1.0]),
    own=st.integers(0, 3),
    zero_offsets=st.booleans(),
)
SHAPES = st.builds(
    LossShape,
    alpha=st.sampled_from([0.02, 0.2, 1.0]),
    gamma=st.sampled_from([0.5, 4.0, 24.0]),
    softmax=st.sampled_from([0.0, 1.0, 0.5]),
    margin=st.sampled_from([0.0, 1.0, 2.0]),
    temperature=st.sampled_from([0.0, 1.0]),
    evenness=st.sampled_from([0.0, 0.1, 1.0]),
    level=st.sampled_from([-3.0, 0.0, 2.0]),
    own=st.sampled_from([0.5, 1.0, 20.0]),
)
BOTH = LossShape(alpha=0.2, gamma=4.0, softmax=1.0, margin=0.5, temperature=1.0, evenness=0.1)


def both_ways(case: Case, shape: LossShape) -> tuple[Gradients, Gradients]:
    fused, plain = (box_loss(*case, shape, fused=fused) for fused in (True, False))
    return fused, plain


@given(CASES, SHAPES)
@example(make_case(0, queries=1, dim=1, boxes=1, negatives=1, chunk=1), BOTH)
@example(make_case(1, entities=1, answers=1.0), BOTH)
@example(make_case(2, answers=1.0), BOTH)
@example(make_case(3, zero_offsets=True), BOTH)
@example(make_case(4, queries=9, chunk=4, boxes=4), BOTH)
@example(make_case(5, dim=400, negatives=33, chunk=2), BOTH)
def test_fused_is_plain(case: Case, shape: LossShape) -> None:
    for fused, plain in zip(*both_ways(case, shape), strict=True):
        assert torch.isfinite(fused).all()
        torch.testing.assert_close(fused, plain, rtol=2e-4, atol=2e-5)


def test_answers_among_the_negatives_do_not_count() -> None:
    case = make_case(0, answers=1.0)
    found = box_loss(*case, LossShape(alpha=0.2, gamma=4.0, softmax=1.0, margin=0.0))
    assert found.losses.abs().max() < 1e-6
    assert (found.heights < -1e29).all()
    for gradients in (found.centers, found.offsets, found.entities):
        assert gradients.abs().max() < 1e-6


def test_a_query_is_held_against_its_own_negatives() -> None:
    """An entity that only one query has as a negative pushes that query's box alone."""
    case = make_case(0, queries=2, own=0, answers=0.0, chunk=2)
    before = box_loss(*case, BOTH)
    (entity,) = [v for v in range(12) if v not in case.targets.entities.tolist()][:1]
    targets = case.targets._replace(
        own_offsets=torch.tensor([0, 0, 1]), own_negatives=torch.tensor([entity], dtype=torch.int32)
    )
    after = box_loss(*case._replace(targets=targets), BOTH)
    assert after.losses[0] == before.losses[0]
    assert after.losses[1] > before.losses[1]
    assert after.entities[-1].any()


def test_the_weights_weigh() -> None:
    case = make_case(0)
    once = box_loss(*case, BOTH)
    doubled = case.targets._replace(weights=2 * case.targets.weights)
    twice = box_loss(*case._replace(targets=doubled), BOTH)
    torch.testing.assert_close(once.heights, twice.heights)
    for name in ("losses", "centers", "offsets", "entities"):
        torch.testing.assert_close(2 * getattr(once, name), getattr(twice, name))


@pytest.mark.parametrize("least", [0.05, 0.5, 10.0])
def test_what_is_left_to_chance_is_right_on_average(least: float) -> None:
    """Losses and positives stay; derivatives of negatives are right in the mean over chances."""
    case = make_case(0, answers=0.2, queries=3, negatives=9)
    shape = LossShape(alpha=0.2, gamma=4.0, softmax=1.0, margin=0.5)
    exact = box_loss(*case, shape)
    grid = 4000
    means = [torch.zeros_like(part) for part in exact]
    for number in range(grid):
        chances = torch.full_like(case.targets.chances, (number + 0.5) / grid)
        own = case._replace(targets=case.targets._replace(chances=chances))
        found = box_loss(*own, replace(shape, least=least))
        torch.testing.assert_close(found.losses, exact.losses)
        positives = case.targets.positives.numel()
        torch.testing.assert_close(found.entities[:positives], exact.entities[:positives])
        means = [mean + part / grid for mean, part in zip(means, found, strict=True)]
    for mean, part in zip(means, exact, strict=True):
        torch.testing.assert_close(mean, part, rtol=0.01, atol=0.01 * least)


def test_few_small_derivatives_are_left() -> None:
    case = make_case(0, answers=0.0, negatives=64, chunk=1, own=0)
    shape = LossShape(alpha=0.2, gamma=4.0, softmax=1.0, margin=0.0, least=0.5)
    touched = box_loss(*case, shape).entities[case.targets.positives.numel() :].any(1)
    assert 0 < touched.view(-1, 64).sum(1).max() <= 3  # their sum is at most 1


def test_a_query_does_not_depend_on_its_neighbours() -> None:
    case = make_case(0, queries=6, chunk=6)
    together = box_loss(*case, BOTH)
    targets = case.targets
    for query in range(6):
        first, last = case.starts[query : query + 2].tolist()
        low, high = targets.answer_offsets[query : query + 2].tolist()
        own_low, own_high = targets.own_offsets[query : query + 2].tolist()
        alone = box_loss(
            case.points,
            case.centers[first:last],
            case.offsets[first:last],
            torch.tensor([0, last - first]),
            Targets(
                1,
                targets.positives[query : query + 1],
                torch.tensor([0]),
                targets.negatives,
                targets.shifts,
                torch.tensor([0, high - low]),
                targets.answers[low:high],
                torch.tensor([0, own_high - own_low]),
                targets.own_negatives[own_low:own_high],
                targets.sizes[query : query + 1],
                targets.weights[query : query + 1],
                targets.chances[query : query + 1],
            ),
            BOTH,
        )
        assert torch.equal(alone.losses, together.losses[query : query + 1])
        assert torch.equal(alone.centers, together.centers[first:last])


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 1e38])
@pytest.mark.parametrize(
    "shape", [BOTH, LossShape(0.2, 4.0, 1.0, 0.0), LossShape(0.2, 4.0, 0.0, 1.0)]
)
def test_numbers_out_of_bounds_give_no_finite_loss(value: float, shape: LossShape) -> None:
    case = make_case(0, queries=3, answers=0.0)
    case.points[case.targets.positives[1].long()] = value
    assert not torch.isfinite(box_loss(*case, shape).losses.sum())
