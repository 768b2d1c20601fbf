"""The fused loss against its torch twin: values and gradients."""

from __future__ import annotations

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
    boxes: int = 3,
    negatives: int = 6,
    chunk: int = 4,
    answers: float = 0.3,
    zero_offsets: bool = False,
) -> Case:
    """Random queries; `answers` is the share of entities that answer each of them."""
    generator = np.random.default_rng(seed)
    counts = generator.integers(1, boxes + 1, queries)

    def normal(*shape: int) -> Tensor:
        return torch.from_numpy(generator.normal(size=shape).astype(np.float32))

    chunks = -(-queries // chunk)
    positives = generator.integers(0, entities, queries, np.int32)
    lists = [
        sorted({int(positive), *np.flatnonzero(generator.random(entities) < answers).tolist()})
        for positive in positives
    ]
    targets = Targets(
        torch.from_numpy(positives),
        torch.from_numpy(np.sort(generator.integers(0, entities, (chunks, negatives), np.int32))),
        torch.tensor([0, *map(len, lists)]).cumsum(0),
        torch.tensor([entity for row in lists for entity in row], dtype=torch.int32),
        torch.from_numpy(generator.random(queries, np.float32)),
        chunk,
    )
    total = int(counts.sum())
    offsets = torch.zeros(total, dim) if zero_offsets else normal(total, dim).abs()
    starts = torch.tensor([0, *counts.tolist()]).cumsum(0)
    return Case(normal(entities, dim), normal(total, dim), offsets, starts, targets)


SMALL = st.integers(1, 9)
CASES = st.builds(
    make_case,
    st.integers(0, 2**32),
    entities=st.integers(1, 20),
    dim=SMALL,
    queries=SMALL,
    boxes=st.integers(1, 4),
    negatives=SMALL,
    chunk=SMALL,
    answers=st.sampled_from([0.0, 0.3, 1.0]),
    zero_offsets=st.booleans(),
)
SHAPES = st.builds(
    LossShape,
    alpha=st.sampled_from([0.02, 0.2, 1.0]),
    gamma=st.sampled_from([0.5, 4.0, 24.0]),
    softmax=st.sampled_from([0.0, 1.0, 0.5]),
    margin=st.sampled_from([0.0, 1.0, 2.0]),
    temperature=st.sampled_from([0.0, 1.0]),
)
BOTH = LossShape(alpha=0.2, gamma=4.0, softmax=1.0, margin=0.5, temperature=1.0)


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
    for gradients in (found.centers, found.offsets, found.entities):
        assert gradients.abs().max() < 1e-6


def test_the_weights_weigh() -> None:
    case = make_case(0)
    once = box_loss(*case, BOTH)
    doubled = case.targets._replace(weights=2 * case.targets.weights)
    twice = box_loss(*case._replace(targets=doubled), BOTH)
    for one, two in zip(once, twice, strict=True):
        torch.testing.assert_close(2 * one, two)


def test_negligible_pairs_are_left_out_of_the_gradients_alone() -> None:
    case = make_case(0, answers=0.0)
    shape = LossShape(alpha=0.2, gamma=4.0, softmax=1.0, margin=0.0)
    everything = box_loss(*case, shape)
    cut = LossShape(alpha=0.2, gamma=4.0, softmax=1.0, margin=0.0, negligible=10.0)
    nothing = box_loss(*case, cut)
    queries = len(case.targets.positives)
    torch.testing.assert_close(everything.losses, nothing.losses)
    torch.testing.assert_close(everything.entities[:queries], nothing.entities[:queries])
    assert everything.entities[queries:].any()
    assert not nothing.entities[queries:].any()


def test_a_query_does_not_depend_on_its_neighbours() -> None:
    case = make_case(0, queries=6, chunk=6)
    together = box_loss(*case, BOTH)
    targets = case.targets
    for query in range(6):
        first, last = case.starts[query : query + 2].tolist()
        low, high = targets.answer_offsets[query : query + 2].tolist()
        alone = box_loss(
            case.points,
            case.centers[first:last],
            case.offsets[first:last],
            torch.tensor([0, last - first]),
            Targets(
                targets.positives[query : query + 1],
                targets.negatives,
                torch.tensor([0, high - low]),
                targets.answers[low:high],
                targets.weights[query : query + 1],
                1,
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
    case.points[case.targets.positives[1]] = value
    assert not torch.isfinite(box_loss(*case, shape).losses.sum())
