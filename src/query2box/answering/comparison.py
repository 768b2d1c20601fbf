"""Answering against the plain way of doing the same: one torch expression, in chunks."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import cycle
from statistics import median
from typing import NamedTuple

import numpy as np
import torch

from query2box.answering.memory import forget_peak, peak_memory
from query2box.answering.reasoner import Reasoner
from query2box.bundle import Bundle
from query2box.graph.knowledge_graph import KnowledgeGraph
from query2box.kernels.compact import Compact
from query2box.kernels.nearest import Boxes, FloatArray, nearest, plain_nearest
from query2box.kernels.threads import cores
from query2box.model.config import ModelConfig
from query2box.model.embedding import QueryEmbedding
from query2box.query.skeleton import STRUCTURES
from query2box.workload.comparison import Row, compare, rate
from query2box.workload.query_set import QueryGroup
from query2box.workload.sampler import sample_queries

K = 10
SECONDS = 5.0
QUERIES = 512
BOXES = 32
TABLES = ((1_000_000, 400), (10_000_000, 100))
"""No graph at hand is that large, so entities are clustered at random."""


def compare_answering(graph: KnowledgeGraph, config: ModelConfig) -> Iterator[Row]:
    """Questions to named answers by such a model, and the nearest entities in large tables.

    What is done one by one counts by its median time, what goes together by how much
    of it is done in a second. The model has not learnt anything: where it looks for
    answers takes as long.
    """
    generator = torch.Generator().manual_seed(0)
    sizes = graph.num_entities, 2 * graph.num_relations
    model = QueryEmbedding(config, *sizes, generator).eval()
    yield from compare_questions(Reasoner(Bundle({}, graph, model)))
    del model
    for count, dim in TABLES:
        one, together, plain = _tables(clustered(count, dim))
        name = f"nearest: {count:,} entities x {dim}, clustered"
        yield _less(f"{name}, one box, median", one.milliseconds, plain.milliseconds, "ms")
        rates = BOXES * 1000 / together.milliseconds, 1000 / plain.milliseconds
        yield compare(f"{name}, {BOXES} boxes together", *rates, "boxes/s")
        most = max(one.gigabytes, together.gigabytes)
        yield _less(f"{name}, peak memory", most, plain.gigabytes, "GB")


def compare_questions(reasoner: Reasoner) -> Iterator[Row]:
    """Questions to named answers: one by one, of each structure and of all, then all together."""
    torch.set_num_threads(cores())
    reasoner.prepare()
    adjacency = reasoner.graph.train.adjacency
    groups = [sample_queries(adjacency, s, QUERIES, seed=0) for s in STRUCTURES.values()]
    for group in groups:
        times = _single_questions(reasoner, [group])
        yield _less(f"answer: one {group.structure} question, median", *times, "ms")
    times = _single_questions(reasoner, groups)
    yield _less("answer: one question of any structure, median", *times, "ms")
    yield compare("answer: questions of all structures together", *_batches(reasoner, groups))


def _less(case: str, ours: float, plain: float, unit: str) -> Row:
    """A row of two costs, of which the lower one is better: the ratio is turned around."""
    return Row(case=case, ours=ours, plain=plain, ratio=plain / ours, unit=unit)


def _single_questions(reasoner: Reasoner, groups: list[QueryGroup]) -> tuple[float, float]:
    """Median milliseconds of a question, structures taking turns, by us and in the plain way."""
    turns = [(group, row) for row in range(QUERIES) for group in groups if row < len(group)]
    queries = cycle([group.query(row) for group, row in turns])
    rows = cycle(turns)
    reasoner.answer(next(queries), K)  # the first use compiles

    def plain() -> None:
        group, row = next(rows)
        _plain(reasoner, group.take([row]))

    return _median(lambda: reasoner.answer(next(queries), K)), _median(plain)


def _batches(reasoner: Reasoner, groups: list[QueryGroup]) -> tuple[float, float]:
    queries = [group.query(row) for group in groups for row in range(len(group))]

    def ours() -> int:
        return len(reasoner.answer_many(queries, K))

    def plain() -> int:
        return sum(_plain(reasoner, group.take(range(min(32, len(group))))) for group in groups)

    ours()
    return rate(ours, SECONDS), rate(plain, SECONDS)


@torch.no_grad()
def _plain(reasoner: Reasoner, group: QueryGroup) -> int:
    """Names of the nearest entities; what is known and how likely is left out."""
    model = reasoner.model
    anchors = model.points[torch.from_numpy(group.entities).long()]
    boxes = model.boxes(group.skeleton, anchors, torch.from_numpy(group.relations).long())
    queries, disjuncts, dim = boxes.center.shape
    found, _ = plain_nearest(
        model.points,
        boxes.center.reshape(-1, dim),
        boxes.offset.reshape(-1, dim),
        torch.arange(queries + 1) * disjuncts,
        K,
        model.config.alpha,
        chunk=max(4096 // (queries * disjuncts), 64),
    )
    return len([[reasoner.graph.entities[e] for e in row] for row in found.tolist()])


class _Measured(NamedTuple):
    """The median time, and the most memory that the process had meanwhile."""

    milliseconds: float
    gigabytes: float


def _tables(points: FloatArray) -> tuple[_Measured, _Measured, _Measured]:
    """Boxes around entities: one by one, together, and one by one with torch."""
    rng = np.random.default_rng(1)
    count, dim = points.shape
    centers = points[rng.integers(0, count, BOXES)] + _noise(rng, (BOXES, dim))
    boxes = Boxes(centers, np.abs(_noise(rng, (BOXES, dim))), np.arange(BOXES + 1))
    table, box_centers, offsets = map(torch.from_numpy, (points, centers, boxes.offsets))
    alpha = ModelConfig().alpha
    rows = cycle(slice(row, row + 1) for row in range(BOXES))

    def measure(work: Callable[[], object]) -> _Measured:
        forget_peak()
        work()  # the first use compiles
        return _Measured(_median(work), peak_memory() / 1e9)

    def plain() -> None:
        row = next(rows)
        plain_nearest(table, box_centers[row], offsets[row], torch.tensor([0, 1]), K, alpha)

    theirs = measure(plain)  # before there is a copy of the table
    compact = Compact.of(points, cores())
    one = measure(lambda: nearest(points, boxes.of(next(rows)), K, alpha, compact=compact))
    together = measure(lambda: nearest(points, boxes, K, alpha, compact=compact))
    return one, together, theirs


def clustered(count: int, dim: int, seed: int = 0) -> FloatArray:
    """Entities around random centres, a few hundred to each."""
    rng = np.random.default_rng(seed)
    centers = 2 * _noise(rng, (max(count // 300, 1), dim))
    points = np.empty((count, dim), np.float32)
    for low in range(0, count, 1 << 17):
        some = points[low : low + (1 << 17)]
        some[:] = centers[rng.integers(0, len(centers), len(some))]
        some += _noise(rng, some.shape)
    return points


def _noise(rng: np.random.Generator, shape: tuple[int, ...]) -> FloatArray:
    return rng.standard_normal(shape, np.float32) * np.float32(0.03)


def _median(work: Callable[[], object]) -> float:
    """The median time, in milliseconds, of runs that take some seconds together."""
    times: list[float] = []
    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end or not times:
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return 1000 * median(times)
