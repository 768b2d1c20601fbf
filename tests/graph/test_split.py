from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from query2box.errors import ConfigError
from query2box.graph.split import split_edges

EDGE = st.tuples(st.integers(0, 30), st.integers(0, 4), st.integers(0, 30))
SHARE = st.floats(0, 0.49)


@given(
    edges=st.lists(EDGE, unique=True, max_size=80), valid=SHARE, test=SHARE, seed=st.integers(0, 9)
)
def test_training_has_seen_every_name(
    edges: list[tuple[int, int, int]], valid: float, test: float, seed: int
) -> None:
    rows = np.array(edges, np.int32).reshape(-1, 3)
    splits, moved = split_edges(rows, valid, test, np.random.default_rng(seed))
    found = {split: list(map(tuple, part.tolist())) for split, part in splits.items()}
    assert list(found) == ["train", *["valid"] * (valid > 0), *["test"] * (test > 0)]

    together = [edge for part in found.values() for edge in part]
    assert sorted(together) == sorted(edges)
    for part in found.values():
        assert part == [edge for edge in edges if edge in part], "the order stays"

    entities = {e for head, _, tail in found["train"] for e in (head, tail)}
    relations = {relation for _, relation, _ in found["train"]}
    for split in set(found) - {"train"}:
        for head, relation, tail in found[split]:
            assert head in entities
            assert tail in entities
            assert relation in relations

    wanted = {"valid": round(valid * len(edges)), "test": round(test * len(edges))}
    held_out = 0
    for split, size in wanted.items():
        assert len(found.get(split, [])) <= size
        held_out += len(found.get(split, []))
    assert held_out + moved == sum(wanted.values())

    again, moved_again = split_edges(rows, valid, test, np.random.default_rng(seed))
    assert moved_again == moved
    assert all((again[split] == splits[split]).all() for split in splits)


def test_nothing_moves_without_need() -> None:
    """Edges of a complete graph are all dispensable, so sizes are met exactly."""
    rows = np.array([(h, 0, t) for h in range(20) for t in range(20)], np.int32)
    splits, moved = split_edges(rows, 0.1, 0.2, np.random.default_rng(0))
    assert {split: len(part) for split, part in splits.items()} == {
        "train": 280,
        "valid": 40,
        "test": 80,
    }
    assert moved == 0


def test_seeds_differ() -> None:
    rows = np.array([(h, 0, t) for h in range(20) for t in range(20)], np.int32)
    one, two = (split_edges(rows, 0.1, 0, np.random.default_rng(s))[0]["valid"] for s in (0, 1))
    assert one.tolist() != two.tolist()


def test_every_edge_is_as_likely_as_any() -> None:
    rows = np.array([(h, 0, t) for h in range(10) for t in range(10)], np.int32)
    counts = np.zeros(100)
    for seed in range(400):
        held_out = split_edges(rows, 0.2, 0, np.random.default_rng(seed))[0]["valid"]
        counts[held_out[:, 0] * 10 + held_out[:, 2]] += 1
    # 80 times each on average; a fair draw strays five standard deviations once in a million.
    assert abs(counts - 80).max() < 5 * np.sqrt(400 * 0.2 * 0.8)


@pytest.mark.parametrize(
    ("valid", "test"), [(-0.1, 0), (0, -0.1), (0.5, 0.5), (2, 0), (float("nan"), 0)]
)
def test_shares_that_are_none(valid: float, test: float) -> None:
    with pytest.raises(ConfigError, match="less than 1 together"):
        split_edges(np.zeros((1, 3), np.int32), valid, test, np.random.default_rng(0))
