"""The paper's query sampler (Query2box, appendix D), for any skeleton."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from typing import TypedDict, Unpack, cast

import numpy as np

from query2box.errors import ConfigError, DataError
from query2box.graph.adjacency import Adjacency, IntArray, OffsetArray
from query2box.graph.knowledge_graph import SPLITS, KnowledgeGraph, Split
from query2box.query.nodes import Query, shape
from query2box.query.skeleton import structure_name
from query2box.query.variables import canonical
from query2box.workload.denotation import MAX_WORK, answer_group
from query2box.workload.parallel import chunks, map_threads
from query2box.workload.plan import DIRECTIONS, Direction, Starts, plan_of
from query2box.workload.program import program_of
from query2box.workload.query_set import QueryGroup, QuerySet, Ragged

CHUNK = 256
"""Queries that one generator draws; threads share chunks, so they change nothing."""

MAX_TRIES = 100_000
"""Walks in vain, one after the other, before a graph is said not to have the structure."""

RARE = 10_000
"""Queries drawn for one that is new, beyond which no more are looked for."""


def sample_queries(
    adjacency: Adjacency,
    skeleton: Query,
    count: int,
    seed: int,
    *,
    direction: Direction = "backward",
    threads: int = 2,
    max_answers: int | None = None,
    starts: Starts = "entities",
) -> QueryGroup:
    """Queries with all their answers on the graph, as easy ones.

    Backward, the target is uniform among the entities that have an edge, and the
    rest follows in pre-order: a relation that leads here, uniform, then an entity
    that it leads here from, uniform. (With `starts` other than the paper's, an entity is as
    likely to be first as it has relations, or edges.) Forward, the first anchor is uniform and its
    path is walked to the target, which is what the authors' published paths look
    like; other operands of an intersection follow backward, other branches of a
    union are walks of their own.

    Queries in which a relation is followed by its inverse, or that have a branch
    twice, are drawn again, and so are those with more than `max_answers`.
    """
    sampler = _Sampler(
        adjacency,
        skeleton,
        seed,
        direction=direction,
        threads=threads,
        max_answers=max_answers,
        starts=starts,
    )
    return sampler.draw(0, count)


def sample_evaluation(
    graph: KnowledgeGraph,
    split: Split,
    skeleton: Query,
    count: int,
    seed: int,
    *,
    direction: Direction = "backward",
    threads: int = 2,
    max_answers: int | None = None,
) -> QueryGroup:
    """Different queries, each with an answer that needs an edge of the split.

    Easy answers follow from the graph before the split, hard ones from the
    split's graph only. Fewer than `count` where the graph has no more to give.
    """
    if split == "train" or split not in graph.splits:
        raise DataError(f"the graph has no {split} edges that hard answers could need")
    before = graph.up_to(SPLITS[SPLITS.index(split) - 1]).adjacency
    adjacency = graph.up_to(split).adjacency
    sampler = _Sampler(
        adjacency, skeleton, seed, direction=direction, threads=threads, max_answers=max_answers
    )
    name = structure_name(skeleton)
    kept = [QueryGroup.empty(name, skeleton)]
    seen = _Seen()
    drawn = stretch = gained = 0
    while len(seen) < count:
        # As many as will be needed if things go on like this.
        wanted = (count - len(seen)) * (drawn + 1) // (len(seen) + 1)
        size = CHUNK * min(1 + wanted // CHUNK, 64)
        group = sampler.draw(drawn // CHUNK, size)
        easy = answer_group(group, before, threads)
        new = seen.add(group, np.flatnonzero(group.easy.counts > easy.counts), count)
        kept.append(_with_hard_answers(group.take(new), easy.take(new)))
        drawn += size
        stretch += size
        gained += len(new)
        if stretch >= MAX_TRIES:
            if gained * RARE < stretch:
                break
            stretch = gained = 0
    if count and not len(seen):
        raise DataError(
            f"no {name} query with a hard answer among {drawn:,} queries of the {split} graph"
        )
    return QueryGroup.concatenate(kept)


class Options(TypedDict, total=False):
    """What `sample_queries` and `sample_evaluation` take besides."""

    direction: Direction
    threads: int
    max_answers: int | None


def sample_query_set(
    graph: KnowledgeGraph,
    split: Split,
    skeletons: Iterable[Query],
    count: int,
    seed: int,
    **options: Unpack[Options],
) -> QuerySet:
    """Queries of several skeletons, for training or with hard answers of a split."""
    if split == "train":
        adjacency = graph.train.adjacency
        return QuerySet.of(sample_queries(adjacency, s, count, seed, **options) for s in skeletons)
    return QuerySet.of(
        sample_evaluation(graph, split, s, count, seed, **options) for s in skeletons
    )


class _Sampler:
    """Draws queries of one skeleton from one graph, chunk after chunk."""

    def __init__(
        self,
        adjacency: Adjacency,
        skeleton: Query,
        seed: int,
        *,
        direction: Direction,
        threads: int,
        max_answers: int | None,
        starts: Starts = "entities",
    ) -> None:
        from query2box.kernels.traversal import edges_of

        if direction not in DIRECTIONS:
            raise ConfigError(f"no direction {direction!r}; say {' or '.join(DIRECTIONS)}")
        if seed < 0:
            raise ConfigError(f"a seed is 0 or more, not {seed}")
        self.skeleton = skeleton
        self.threads = threads
        self.max_answers = 2**62 if max_answers is None else max_answers
        self.program = program_of(skeleton)
        self.plan = plan_of(skeleton, direction)
        self.edges = edges_of(adjacency)
        self.starts = _starts(adjacency, starts)
        # Of one seed, each structure has walks of its own.
        entropy = np.random.SeedSequence((seed, zlib.crc32(shape(skeleton).encode())))
        self.seed = entropy.generate_state(1, np.uint64)[0]

    def draw(self, first_chunk: int, count: int) -> QueryGroup:
        """`count` queries; which ones, the numbers of their chunks say."""
        from query2box.kernels.sampling import sample_rows

        name = structure_name(self.skeleton)
        if not len(self.starts):
            raise DataError("the graph has no edges to sample queries from")

        def work(rows: slice) -> QueryGroup:
            entities, relations, _, counts, answers = sample_rows(
                self.plan,
                self.program,
                self.edges,
                self.starts,
                self.seed,
                first_chunk + rows.start // CHUNK,
                rows.stop - rows.start,
                self.max_answers,
                MAX_TRIES,
                MAX_WORK,
            )
            if len(counts) < rows.stop - rows.start:
                raise DataError(
                    f"the graph hardly has a {name} query: {MAX_TRIES:,} tries in a row gave none"
                )
            easy, hard = Ragged.from_counts(counts, answers), Ragged.empty(len(counts))
            return QueryGroup(name, self.skeleton, entities, relations, easy, hard)

        groups = map_threads(work, chunks(count, CHUNK), self.threads)
        return QueryGroup.concatenate([QueryGroup.empty(name, self.skeleton), *groups])


@lru_cache(maxsize=4)
def _starts(adjacency: Adjacency, over: Starts) -> IntArray:
    """The entities that have an edge, each as often as it is to be likely."""
    from query2box.kernels.traversal import read_only

    groups = adjacency.entity_groups
    weights = {
        "entities": lambda: np.minimum(np.diff(groups), 1),
        "relations": lambda: np.diff(groups),
        "edges": lambda: np.diff(adjacency.group_objects[groups]),
    }
    if over not in weights:
        raise ConfigError(f"no starts {over!r}; say {', '.join(weights)}")
    entities = np.arange(len(groups) - 1, dtype=np.int32)
    return cast("IntArray", read_only(np.repeat(entities, weights[over]())))


def _with_hard_answers(group: QueryGroup, easy: Ragged) -> QueryGroup:
    """The group, of whose answers these are the easy ones and the others hard."""
    return replace(group, easy=easy, hard=group.easy.without(easy))


class _Seen:
    """Queries that have been kept, to keep none twice."""

    def __init__(self) -> None:
        self._rows: set[bytes] = set()
        self._queries: set[Query] = set()

    def __len__(self) -> int:
        return len(self._queries)

    def add(self, group: QueryGroup, rows: OffsetArray, limit: int) -> list[int]:
        """Those of the rows that are new, until `limit` queries have been seen."""
        new = []
        for row in rows.tolist():
            # Equal rows are equal queries; with shared variables, others may be as well.
            key = group.entities[row].tobytes() + group.relations[row].tobytes()
            if key in self._rows or len(self) >= limit:
                continue
            self._rows.add(key)
            query = canonical(group.query(row))
            if query not in self._queries:
                self._queries.add(query)
                new.append(row)
        return new
