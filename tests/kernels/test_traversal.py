"""The set machine and its bits against Python's sets."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from query2box.graph.adjacency import Adjacency
from query2box.kernels.bitset import WORDS, drain, insert, insert_slices
from query2box.kernels.traversal import edges_of
from query2box.query.nodes import Anchor, Query, Variable, intersection, projection, union
from query2box.query.skeleton import STRUCTURES, instantiate, skeleton_of, slot_counts, structure
from query2box.workload.denotation import answer_rows
from query2box.workload.plain import PlainGraph, plain_answers
from query2box.workload.program import program_of

SIZE = 3_000
members = st.lists(st.integers(0, SIZE - 1), max_size=40)


def empty_set() -> tuple[np.ndarray, np.ndarray]:
    marks = SIZE // (64 * WORDS) + 1
    return np.zeros(WORDS * marks, np.uint64), np.zeros(marks, np.uint8)


@given(st.lists(members, max_size=4))
def test_bits_list_what_was_put_in_and_forget_it(lists: list[list[int]]) -> None:
    bits, marks = empty_set()
    out = np.full(SIZE + 1, -1, np.int32)
    for values in lists:
        insert(bits, marks, np.array(values, np.int32), 0, len(values))
    expected = sorted(set().union(*lists))
    assert drain(bits, marks, out, 1) == 1 + len(expected)
    assert out[1 : 1 + len(expected)].tolist() == expected
    assert out[0] == -1
    assert not bits.any()
    assert not marks.any()


@given(st.lists(members.filter(bool), max_size=6), st.data())
def test_slices_are_put_in_whole(lists: list[list[int]], data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.sampled_from(range(len(lists))))) if lists else []
    bits, marks = empty_set()
    values = np.array([value for row in lists for value in row], np.int32)
    offsets = np.cumsum([0, *map(len, lists)])
    insert_slices(bits, marks, values, offsets, np.array(chosen, np.int32), 0, len(chosen))
    out = np.empty(SIZE, np.int32)
    stop = drain(bits, marks, out, 0)
    assert out[:stop].tolist() == sorted({value for s in chosen for value in lists[s]})


def test_the_first_and_the_last_entity() -> None:
    for size in (1, 64, 511, 512, 513, 4096):
        edges = np.array([[0, 0, size - 1], [size - 1, 0, size - 1], [size - 1, 0, 0]], np.int32)
        adjacency = Adjacency.build(edges, size, 1)
        one = np.zeros((1, 1), np.int32)
        answers = answer_rows(STRUCTURES["2p"], one, np.zeros((1, 2), np.int32), adjacency)
        assert answers[0].tolist() == sorted({0, size - 1})


@pytest.fixture(scope="module")
def skewed() -> tuple[Adjacency, PlainGraph]:
    """Enough entities and so uneven degrees that every way of intersecting is taken."""
    random = np.random.default_rng(0)
    tails = (SIZE * random.random(30_000) ** 4).astype(np.int32)
    heads, relations = random.integers(0, SIZE, 30_000), random.integers(0, 3, 30_000)
    edges = np.unique(np.stack((heads, relations, tails), 1), axis=0).astype(np.int32)
    return Adjacency.build(edges, SIZE, 3), PlainGraph(map(tuple, edges.tolist()))


@pytest.mark.parametrize("name", [*STRUCTURES, "i(p(p(e)),p(p(e)))", "p(i(p(e),u(p(e),p(p(e)))))"])
def test_large_and_small_sets(name: str, skewed: tuple[Adjacency, PlainGraph]) -> None:
    adjacency, plain = skewed
    random = Random(name)
    skeleton = structure(name)

    anchors, projections = slot_counts(skeleton)

    def drawn() -> Query:
        # Entities of low ids have most edges.
        entities = [int(SIZE * random.random() ** 3) for _ in range(anchors)]
        return instantiate(skeleton, entities, [random.randrange(6) for _ in range(projections)])

    queries = [drawn() for _ in range(100)]
    rows = [skeleton_of(query) for query in queries]
    same = [i for i, (found, _, _) in enumerate(rows) if found == skeleton]
    answers = answer_rows(
        skeleton,
        np.array([rows[i][1] for i in same], np.int32),
        np.array([rows[i][2] for i in same], np.int32),
        adjacency,
    )
    assert len(same) > 50
    for i, found in zip(same, answers, strict=True):
        assert found.tolist() == sorted(plain_answers(queries[i], plain))


def test_programs_take_the_room_they_say() -> None:
    shared = Variable(1, projection(0, Anchor(0)))
    inner = Variable(2, projection(1, shared))
    query = intersection(
        projection(2, shared),
        projection(3, inner),
        union(projection(4, inner), projection(5, Anchor(1))),
    )
    program = program_of(skeleton_of(query)[0])
    assert (program.loops, program.variables) == (2, 2)
    # The domains of both loops and the three operands, the last one a union of two.
    assert program.depth == 2 + 2 + 2


def test_a_graph_is_prepared_once() -> None:
    adjacency = Adjacency.build(np.array([[0, 0, 1]], np.int32), 2, 1)
    assert edges_of(adjacency) is edges_of(adjacency)
