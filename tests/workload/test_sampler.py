"""Sampled queries: what they must be, whatever the graph and the skeleton."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from oracle import denote
from query2box.errors import ConfigError, DataError, IllegalQueryError
from query2box.graph.knowledge_graph import KnowledgeGraph
from query2box.query.nodes import Anchor, Projection, Query, Union, operands_of, shape, walk
from query2box.query.skeleton import STRUCTURES, skeleton_of, structure
from query2box.query.variables import canonical
from query2box.workload import sampler as module
from query2box.workload.denotation import denotation
from query2box.workload.query_set import QueryGroup
from query2box.workload.sampler import sample_evaluation, sample_queries, sample_query_set
from strategies import graphs, make_graph, queries

DIAMOND = "i(p(p(v1(p(e)))),p(v1(p(e))))"
SHAPES = [*STRUCTURES, DIAMOND, "p(u(i(p(e),p(e)),p(e)))", "i(p(u(p(e),p(e))),p(e))"]
directions = st.sampled_from(["backward", "forward"])


@pytest.fixture(autouse=True)
def few_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tiny graphs that lack a structure are given up soon."""
    monkeypatch.setattr(module, "MAX_TRIES", 2_000)


def follow_each_other(query: Query) -> Iterator[tuple[int, int]]:
    """Relations that come one right after the other on a path."""

    def last(node: Query) -> Iterator[int]:
        if isinstance(node, Projection):
            yield int(node.relation)
        else:
            for operand in operands_of(node):
                yield from last(operand)

    for node in walk(query):
        if isinstance(node, Projection):
            for before in last(node.operand):
                yield before, int(node.relation)


def check(group: QueryGroup, skeleton: Query, graph: KnowledgeGraph) -> None:
    for row in range(len(group)):
        query = group.query(row)
        # Had two branches been the same, one would be gone.
        assert shape(query) == shape(skeleton)
        assert all(before != after ^ 1 for before, after in follow_each_other(query))
        answers = [*group.easy[row], *group.hard[row]]
        assert sorted(answers) == sorted(denote(query, graph))
        assert answers


@settings(max_examples=60)
@given(graphs(), queries(), directions, st.integers(0, 2**64))
def test_any_skeleton(graph: KnowledgeGraph, query: Query, direction: str, seed: int) -> None:
    skeleton, _, _ = skeleton_of(query)
    try:
        group = sample_queries(graph.adjacency, skeleton, 5, seed, direction=direction)
    except DataError:
        assume(False)
    assert len(group) == 5
    check(group, skeleton, graph)


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("direction", ["backward", "forward"])
def test_rows_are_canonical(name: str, direction: str) -> None:
    """Equal queries have equal rows, so that duplicates can be told."""
    skeleton = structure(name)
    group = sample_queries(dense().adjacency, skeleton, 40, 3, direction=direction)
    for row in range(len(group)):
        found, entities, relations = skeleton_of(canonical(group.query(row)))
        assert found == skeleton
        assert entities == tuple(group.entities[row])
        assert relations == tuple(group.relations[row])


def dense(splits: tuple[str, ...] = ("train",)) -> KnowledgeGraph:
    """Edges at random, enough of them for every structure."""
    random = np.random.default_rng(0)
    names = make_graph([], entities=40, relations=4)
    edges = np.unique(random.integers(0, (40, 4, 40), (400, 3)), axis=0).astype(np.int32)
    parts = np.array_split(random.permutation(edges), [280, 340])[: len(splits)]
    return KnowledgeGraph(names.entities, names.relations, dict(zip(splits, parts, strict=True)))


@pytest.mark.parametrize("name", SHAPES)
def test_evaluation_queries_have_hard_answers(name: str) -> None:
    graph = dense(("train", "valid", "test"))
    skeleton = structure(name)
    for split, before in (("valid", graph.train), ("test", graph.valid)):
        group = sample_evaluation(graph, split, skeleton, 30, 1)
        assert len(group) == 30
        check(group, skeleton, graph.up_to(split))
        assert len({canonical(group.query(row)) for row in range(30)}) == 30
        for row in range(30):
            easy, hard = set(group.easy[row].tolist()), set(group.hard[row].tolist())
            assert hard
            assert not easy & hard
            assert easy == set(denotation(group.query(row), before).tolist())


def test_evaluation_gives_what_the_graph_has() -> None:
    names = make_graph([])
    edges = {"train": np.array([[0, 0, 1], [0, 0, 2]]), "valid": np.array([[0, 0, 3]])}
    graph = KnowledgeGraph(names.entities, names.relations, edges)
    group = sample_evaluation(graph, "valid", STRUCTURES["1p"], 100, 0)
    found = {
        (group.query(row), *group.easy[row], -1, *group.hard[row]) for row in range(len(group))
    }
    assert found == {
        (Projection(0, Anchor(0)), 1, 2, -1, 3),
        (Projection(1, Anchor(3)), -1, 0),
    }


@pytest.mark.parametrize("direction", ["backward", "forward"])
@pytest.mark.parametrize("name", ["3p", "pi", "up", DIAMOND])
def test_seeds_decide_and_threads_do_not(name: str, direction: str) -> None:
    adjacency, skeleton = dense().adjacency, structure(name)

    def drawn(seed: int, threads: int, count: int = 700) -> list[list[int]]:
        group = sample_queries(
            adjacency, skeleton, count, seed, direction=direction, threads=threads
        )
        return np.hstack((group.entities, group.relations)).tolist()

    assert drawn(7, threads=1) == drawn(7, threads=2)
    assert drawn(7, threads=2) != drawn(8, threads=2)
    # Whole chunks are the same, however many follow.
    assert drawn(7, threads=1)[:512] == drawn(7, threads=1, count=512)


def test_evaluation_is_reproducible() -> None:
    graph = dense(("train", "valid"))
    one, other = (
        sample_evaluation(graph, "valid", STRUCTURES["2i"], 300, 5, threads=threads)
        for threads in (1, 2)
    )
    assert np.array_equal(one.entities, other.entities)
    assert np.array_equal(one.relations, other.relations)
    assert np.array_equal(one.hard.values, other.hard.values)


def test_targets_and_relations_are_uniform() -> None:
    """A hub is no likelier a target than a leaf, nor a relation of many edges than of one."""
    hub = [(0, 0, leaf) for leaf in range(1, 6)] + [(0, 1, 6)]
    group = sample_queries(make_graph(hub).adjacency, STRUCTURES["1p"], 70_000, 0)
    rows, counts = np.unique(
        np.hstack((group.entities, group.relations)), axis=0, return_counts=True
    )
    times = {tuple(row): int(count) for row, count in zip(rows.tolist(), counts, strict=True)}
    # Targets 1 to 5 are reached from 0 by relation 0, target 6 by relation 2, and target 0
    # by either inverse relation, from each source alike.
    expected = {(0, 0): 50_000, (0, 2): 10_000, (6, 3): 5_000}
    expected |= {(leaf, 1): 1_000 for leaf in range(1, 6)}
    assert times.keys() == expected.keys()
    for key, count in expected.items():
        assert abs(times[key] - count) < 5 * count**0.5


def test_forward_starts_at_a_uniform_anchor() -> None:
    hub = [(0, 0, leaf) for leaf in range(1, 6)] + [(0, 1, 6)]
    group = sample_queries(
        make_graph(hub).adjacency, STRUCTURES["1p"], 70_000, 0, direction="forward"
    )
    counts = np.bincount(group.entities[:, 0])
    assert (abs(counts - 10_000) < 500).all()


@pytest.mark.parametrize(("starts", "hub_share"), [("relations", 2 / 8), ("edges", 6 / 12)])
def test_starts_that_are_uniform_over_something_else(starts: str, hub_share: float) -> None:
    """The hub has two relations and six edges, each leaf one of either."""
    hub = [(0, 0, leaf) for leaf in range(1, 6)] + [(0, 1, 6)]
    adjacency = make_graph(hub).adjacency
    group = sample_queries(
        adjacency, STRUCTURES["1p"], 48_000, 0, direction="forward", starts=starts
    )
    counts = np.bincount(group.entities[:, 0]) / 48_000
    expected = [hub_share] + [(1 - hub_share) / 6] * 6
    assert (abs(counts - expected) < 0.01).all()


def test_branches_of_a_forward_union_are_independent() -> None:
    """They need not meet, though backward ones always do."""
    graph = make_graph([(0, 0, 1), (2, 1, 3)])
    skeleton = STRUCTURES["2u"]
    apart = sample_queries(graph.adjacency, skeleton, 50, 0, direction="forward")
    assert {2} & set(np.unique(apart.easy.counts))
    with pytest.raises(DataError, match="hardly has a 2u query"):
        sample_queries(graph.adjacency, skeleton, 50, 0)


def test_max_answers() -> None:
    adjacency = dense().adjacency
    everything = sample_queries(adjacency, STRUCTURES["2p"], 300, 0)
    few = sample_queries(adjacency, STRUCTURES["2p"], 300, 0, max_answers=5)
    assert everything.easy.counts.max() > 5
    assert 1 <= few.easy.counts.min() <= few.easy.counts.max() <= 5


def test_a_query_set_of_several_structures() -> None:
    graph = dense(("train", "valid"))
    skeletons = [STRUCTURES["2p"], structure(DIAMOND)]
    training = sample_query_set(graph, "train", skeletons, 20, 0, direction="forward")
    assert [group.structure for group in training.groups] == ["2p", DIAMOND]
    assert all(len(group) == 20 and not len(group.hard.values) for group in training.groups)
    evaluation = sample_query_set(graph, "valid", skeletons, 20, 0, max_answers=30)
    assert all(len(group) == 20 and group.hard.counts.all() for group in evaluation.groups)


def test_what_cannot_be_sampled_is_refused() -> None:
    one = make_graph([(0, 0, 1)])
    with pytest.raises(DataError, match="hardly has a 3i query: 2,000 tries"):
        sample_queries(one.adjacency, STRUCTURES["3i"], 1, 0)
    with pytest.raises(DataError, match="no edges"):
        sample_queries(make_graph([]).adjacency, STRUCTURES["1p"], 1, 0)
    with pytest.raises(DataError, match="no valid edges"):
        sample_evaluation(one, "valid", STRUCTURES["1p"], 1, 0)
    with pytest.raises(DataError, match="no train edges that hard answers"):
        sample_evaluation(one, "train", STRUCTURES["1p"], 1, 0)
    with pytest.raises(ConfigError, match="direction"):
        sample_queries(one.adjacency, STRUCTURES["1p"], 1, 0, direction="sideways")
    with pytest.raises(ConfigError, match="no starts 'leaves'; say entities, relations, edges"):
        sample_queries(one.adjacency, STRUCTURES["1p"], 1, 0, starts="leaves")
    with pytest.raises(ConfigError, match="seed"):
        sample_queries(one.adjacency, STRUCTURES["1p"], 1, -1)
    with pytest.raises(IllegalQueryError, match="constant"):
        sample_queries(one.adjacency, Union((Anchor(0), Anchor(1))), 1, 0)


def test_no_hard_answers_at_all() -> None:
    names = make_graph([])
    edges = np.array([[0, 0, 1]])
    graph = KnowledgeGraph(names.entities, names.relations, {"train": edges, "valid": edges})
    with pytest.raises(DataError, match="no 1p query with a hard answer"):
        sample_evaluation(graph, "valid", STRUCTURES["1p"], 1, 0)


def test_nothing_asked_nothing_given() -> None:
    group = sample_queries(dense().adjacency, STRUCTURES["2i"], 0, 0)
    assert len(group) == 0
    assert group.entities.shape == (0, 2)
