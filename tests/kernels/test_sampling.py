"""The walks of the sampler and the random numbers they come from."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from query2box.graph.knowledge_graph import KnowledgeGraph
from query2box.kernels.random import below, generator, next_word
from query2box.kernels.sampling import sample_rows
from query2box.kernels.traversal import edges_of
from query2box.query.nodes import Query
from query2box.query.skeleton import skeleton_of
from query2box.workload.plan import plan_of
from query2box.workload.program import program_of
from strategies import graphs, queries

WORD = 2**64


def xoshiro(seed: int, chunk: int, count: int) -> list[int]:
    """xoshiro256++ seeded by splitmix64, in Python's whole numbers."""

    def mixed(x: int) -> int:
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % WORD
        x = (x ^ (x >> 27)) * 0x94D049BB133111EB % WORD
        return x ^ (x >> 31)

    def rotated(x: int, by: int) -> int:
        return (x << by | x >> (64 - by)) % WORD

    x = mixed(seed) ^ chunk
    s = [mixed((x + (i + 1) * 0x9E3779B97F4A7C15) % WORD) for i in range(4)]
    words = []
    for _ in range(count):
        words.append((rotated((s[0] + s[3]) % WORD, 23) + s[0]) % WORD)
        shifted = s[1] << 17 & WORD - 1
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= shifted
        s[3] = rotated(s[3], 45)
    return words


@settings(max_examples=30)
@given(st.integers(0, WORD - 1), st.integers(0, 2**40))
def test_words_are_those_of_xoshiro(seed: int, chunk: int) -> None:
    state = generator(np.uint64(seed), chunk)
    assert [int(next_word(state)) for _ in range(20)] == xoshiro(seed, chunk, 20)


@pytest.mark.parametrize("bound", [1, 2, 7, 1000])
def test_numbers_below_a_bound_are_uniform(bound: int) -> None:
    state = generator(np.uint64(1), 2)
    counts = np.bincount([below(state, bound) for _ in range(100 * bound)], minlength=bound)
    assert len(counts) == bound
    # Pearson's statistic stays near its mean, bound - 1, with a deviation of sqrt(2 bound).
    assert ((counts - 100) ** 2 / 100).sum() < bound + 6 * (2 * bound) ** 0.5


def test_chunks_have_generators_of_their_own() -> None:
    words = {int(next_word(generator(np.uint64(s), c))) for s in range(50) for c in range(50)}
    assert len(words) == 2500


@settings(max_examples=50)
@given(graphs(), queries(), st.integers(0, 1000), st.sampled_from(["backward", "forward"]))
def test_a_query_is_answered_by_the_target_it_was_drawn_from(
    graph: KnowledgeGraph, query: Query, chunk: int, direction: str
) -> None:
    skeleton, _, _ = skeleton_of(query)
    edges = edges_of(graph.adjacency)
    starts = np.flatnonzero(np.diff(edges.entity_groups)).astype(np.int32)
    starts.flags.writeable = False
    if not len(starts):
        return
    entities, relations, targets, counts, answers = sample_rows(
        plan_of(skeleton, direction),
        program_of(skeleton),
        edges,
        starts,
        np.uint64(0),
        chunk,
        10,
        2**62,
        500,
        10**6,
    )
    assert len(entities) == len(relations) == len(targets) == len(counts) <= 10
    rows = np.split(answers, np.cumsum(counts))[:-1]
    assert all(target in row for target, row in zip(targets, rows, strict=True))
