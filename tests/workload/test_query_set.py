"""Packed rows and groups against plain lists."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from query2box.query.nodes import Anchor, projection
from query2box.query.skeleton import STRUCTURES
from query2box.workload.query_set import QueryGroup, QuerySet, Ragged

rows = st.lists(st.lists(st.integers(0, 20), max_size=6), max_size=6)


def lists(ragged: Ragged) -> list[list[int]]:
    return [row.tolist() for row in ragged]


@given(rows)
def test_rows_come_back(plain: list[list[int]]) -> None:
    ragged = Ragged.from_lists(plain)
    assert lists(ragged) == plain
    assert len(ragged) == len(plain)
    assert ragged.counts.tolist() == [len(row) for row in plain]
    assert ragged.rows.tolist() == [i for i, row in enumerate(plain) for _ in row]
    assert ragged.offsets.dtype == np.int64
    assert ragged.values.dtype == np.int32
    with pytest.raises(IndexError):
        ragged[len(plain)]


@given(st.data(), rows.filter(bool))
def test_take(data: st.DataObject, plain: list[list[int]]) -> None:
    indices = data.draw(st.lists(st.integers(-len(plain), len(plain) - 1)))
    assert lists(Ragged.from_lists(plain).take(indices)) == [plain[i] for i in indices]


@given(rows)
def test_ascending(plain: list[list[int]]) -> None:
    assert lists(Ragged.from_lists(plain).ascending()) == [sorted(set(row)) for row in plain]


@given(st.lists(st.tuples(*[st.lists(st.integers(0, 9), max_size=6)] * 2), max_size=6))
def test_without(pairs: list[tuple[list[int], list[int]]]) -> None:
    one, other = (
        Ragged.from_lists(side).ascending()
        for side in ([a for a, _ in pairs], [b for _, b in pairs])
    )
    assert lists(one.without(other)) == [sorted(set(a) - set(b)) for a, b in pairs]


@given(rows, rows)
def test_concatenate(one: list[list[int]], other: list[list[int]]) -> None:
    parts = [Ragged.from_lists(one), Ragged.from_lists(other)]
    assert lists(Ragged.concatenate(parts)) == one + other
    assert lists(Ragged.concatenate([])) == []


def group(entities: list[int], name: str = "1p") -> QueryGroup:
    column = np.array(entities, np.int32).reshape(-1, 1)
    answers = Ragged.from_lists([[e] for e in entities])
    return QueryGroup(name, STRUCTURES["1p"], column, column + 1, answers, answers)


def test_a_group_gives_its_queries() -> None:
    some = group([4, 5, 6])
    assert len(some) == 3
    assert some.query(1) == projection(6, Anchor(5))
    taken = some.take([2, 0])
    assert [taken.query(row) for row in range(2)] == [some.query(2), some.query(0)]
    assert lists(taken.easy) == lists(taken.hard) == [[6], [4]]
    both = QueryGroup.concatenate([QueryGroup.empty("1p", some.skeleton), some, taken])
    assert both.entities[:, 0].tolist() == [4, 5, 6, 6, 4]


def test_a_group_holds_together() -> None:
    one = np.zeros((1, 1), np.int32)
    empty = Ragged.empty(1)
    with pytest.raises(ValueError, match="slots"):
        QueryGroup("2i", STRUCTURES["2i"], one, one, empty, empty)
    with pytest.raises(ValueError, match="row of easy"):
        QueryGroup("1p", STRUCTURES["1p"], one, one, Ragged.empty(0), empty)


def test_a_set_keeps_the_order_of_lines() -> None:
    one, other = group([1, 2]), group([7], "named")
    assert len(QuerySet.of([one, other])) == 3
    mixed = QuerySet((one, other), np.array([0, 1, 0], np.int32))
    assert [(g.structure, row) for g, row in mixed] == [("1p", 0), ("named", 0), ("1p", 1)]
