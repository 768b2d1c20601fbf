"""Sampling and exact answering against the plain way of doing the same, on one core each."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from typing import TypedDict

from query2box.graph.knowledge_graph import KnowledgeGraph
from query2box.query.nodes import Query
from query2box.query.skeleton import STRUCTURES
from query2box.workload.denotation import answer_group
from query2box.workload.plain import PlainGraph, plain_answers, plain_sample
from query2box.workload.sampler import sample_queries


class Row(TypedDict):
    """One line of `q2b bench`; `ratio` says how many times better ours is."""

    case: str
    ours: float
    plain: float
    ratio: float
    unit: str


def compare(case: str, ours: float, plain: float, unit: str = "queries/s") -> Row:
    """A row of two rates, of which the higher one is better."""
    return Row(case=case, ours=ours, plain=plain, ratio=ours / plain, unit=unit)


def rate(work: Callable[[], int], seconds: float) -> float:
    """How much gets done in a second, by the best of several runs; each says what it did."""
    best = 0.0
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or not best:
        start = time.perf_counter()
        done = work()
        best = max(best, done / (time.perf_counter() - start))
    return best


def compare_workload(graph: KnowledgeGraph, seconds: float = 0.5) -> Iterator[Row]:
    """A row for sampling each structure of the paper, and one for answering them all."""
    graph = graph.train
    adjacency, plain = graph.adjacency, PlainGraph(map(tuple, graph.edges.tolist()))
    random = Random(0)  # noqa: S311 -- queries are no secrets

    def ours(skeleton: Query) -> int:
        return len(sample_queries(adjacency, skeleton, 4096, seed=0, threads=1))

    def theirs(skeleton: Query) -> int:
        return len([plain_sample(skeleton, plain, random) for _ in range(64)])

    for structure, skeleton in STRUCTURES.items():
        ours(skeleton)  # the first use compiles
        yield compare(
            f"sample {structure}",
            rate(partial(ours, skeleton), seconds),
            rate(partial(theirs, skeleton), seconds),
        )
    groups = [sample_queries(adjacency, s, 1024, seed=1) for s in STRUCTURES.values()]
    queries = [group.query(row) for group in groups for row in range(0, len(group), 16)]
    yield compare(
        "exact answers",
        rate(lambda: sum(len(answer_group(group, adjacency, 1)) for group in groups), seconds),
        rate(lambda: len([plain_answers(query, plain) for query in queries]), seconds),
    )
