"""The reasoner: a trained model and its graph, to be asked."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from query2box.answering.answers import Answer, Reply
from query2box.answering.assignment import Check, go_on
from query2box.answering.calibration import Calibration
from query2box.answering.explanation import Explanation, explain
from query2box.answering.index import CellIndex
from query2box.answering.loops import BoolArray, joined, ruled_out, without_loops
from query2box.answering.questions import QueryLike, candidate_ids, understand
from query2box.answering.space import Space
from query2box.bundle import Bundle
from query2box.errors import ConfigError
from query2box.graph.adjacency import IntArray
from query2box.graph.knowledge_graph import KnowledgeGraph, Split
from query2box.kernels.nearest import Boxes, Nearest
from query2box.query.nodes import Query, Symbol
from query2box.query.skeleton import skeleton_of
from query2box.workload.denotation import answer_rows
from query2box.workload.query_set import Ragged

Only: TypeAlias = Literal["known", "predicted"] | None
"""Which answers are wanted: those that are known, those that are not, or both."""


class Reasoner:
    """Answers questions with what is stored and what is predicted.

    What is stored, and so what counts as known, are the training edges: a model
    is fitted to those, and a benchmark's other edges are what it is to predict.
    `stored="valid"` or `"test"` counts those edges as well.
    """

    def __init__(
        self, bundle: Bundle, calibration: Calibration | None = None, stored: Split = "train"
    ) -> None:
        self.graph: KnowledgeGraph = bundle.graph
        self.stored: KnowledgeGraph = bundle.graph.up_to(stored)
        self.model = bundle.model
        self.space = Space(bundle.model, check=bundle.check)
        self.calibration = calibration or Calibration.uncalibrated(bundle.model.config.gamma)
        self.index: CellIndex | None = None
        """What single questions are answered with where there is one."""
        self.budget: int | None = None
        """Entities that the index may look at; without a limit its results are the scan's."""

    @classmethod
    def load(cls, run: str | Path, stored: Split = "train") -> Reasoner:
        """The reasoner of a run folder."""
        reasoner = cls(Bundle.load(run), Calibration.load(run), stored)
        reasoner.index = CellIndex.load(run, reasoner.space.points)
        return reasoner

    def prepare(self) -> None:
        """Do now what the first questions would wait for: a server's first word."""
        self.space.prepare()
        if self.graph.num_relations:
            self.answer(["p", 0, ["e", 0]], 1)

    def answer(
        self,
        query: QueryLike,
        k: int = 10,
        *,
        only: Only = None,
        candidates: QueryLike | Collection[Symbol] | None = None,
        loops: bool = False,
    ) -> list[Answer]:
        """The k nearest entities of a question, the nearest first.

        `candidates` says who may answer: entities, or a question whose exact
        answers on the stored edges they are. Unless `loops` are wanted, nobody is
        predicted to be its own neighbour where the stored edges have nobody so.
        """
        return self.reply(query, k, only=only, candidates=candidates, loops=loops).answers

    def reply(
        self,
        query: QueryLike,
        k: int = 10,
        *,
        only: Only = None,
        candidates: QueryLike | Collection[Symbol] | None = None,
        loops: bool = False,
    ) -> Reply:
        """The answers, with how the question was understood; a text's LIMIT counts."""
        began = time.perf_counter()
        asked = understand(query, self.graph)
        k = k if asked.limit is None else min(k, asked.limit)
        allowed = None if candidates is None else candidate_ids(candidates, self.stored)
        skeleton, entities, relations = skeleton_of(asked.query)
        rows = _row(entities), _row(relations)
        boxes = self.space.boxes(skeleton, *rows)
        known = answer_rows(skeleton, *rows, self.stored.adjacency, threads=1)
        out = self.ruled_out(skeleton, *rows, loops)
        certified = True
        if self.index is None or allowed is not None or only == "known":
            found = self._nearest(boxes, known, out, k, only, allowed)
        else:
            _check(k, only)
            excluded = joined(out, known) if only == "predicted" else out
            near, certified, _ = self.index.search(self.space, boxes, k, excluded, self.budget)
            found = _by_query(near)
        (answers,) = self.named(skeleton, boxes, known, out, found, allowed is not None)
        seconds = time.perf_counter() - began
        return Reply(asked.query, len(boxes.centers), answers, seconds, certified)

    def answer_many(
        self,
        queries: Iterable[QueryLike],
        k: int = 10,
        *,
        only: Only = None,
        candidates: QueryLike | Collection[Symbol] | None = None,
        loops: bool = False,
    ) -> list[list[Answer]]:
        """The answers of many questions, in their order; those of one shape go together."""
        asked = [understand(query, self.graph) for query in queries]
        allowed = None if candidates is None else candidate_ids(candidates, self.stored)
        groups: dict[Query, list[tuple[int, tuple[Symbol, ...], tuple[Symbol, ...]]]] = {}
        for place, one in enumerate(asked):
            skeleton, named, between = skeleton_of(one.query)
            groups.setdefault(skeleton, []).append((place, named, between))
        replies: list[list[Answer]] = [[]] * len(asked)
        for skeleton, members in groups.items():
            places, *slots = zip(*members, strict=True)
            entities, relations = (np.array(slot, np.int32) for slot in slots)
            found = self.answer_rows(skeleton, entities, relations, k, only, allowed, loops)
            for place, answers in zip(places, found, strict=True):
                replies[place] = answers[: asked[place].limit]
        return replies

    def explain(
        self, query: QueryLike, entity: Symbol, runners_up: int = 3, check: Check = go_on
    ) -> Explanation:
        """What speaks for an entity as an answer of a question: stored edges, then likely ones.

        `check` is called again and again; it may raise to end a long search.
        """
        asked = understand(query, self.graph)
        (answer,) = self.answer(asked.query, 1, candidates=[entity], loops=True)
        return explain(
            asked.query, answer, self.space, self.calibration, self.stored, runners_up, check
        )

    def answer_rows(
        self,
        skeleton: Query,
        entities: IntArray,
        relations: IntArray,
        k: int,
        only: Only = None,
        candidates: IntArray | None = None,
        loops: bool = False,
    ) -> Iterator[list[Answer]]:
        """The answers of the queries that rows of entities and relations make of a skeleton."""
        for batch in self.space.batches(skeleton, len(entities)):
            rows = entities[batch], relations[batch]
            boxes = self.space.boxes(skeleton, *rows)
            known = answer_rows(skeleton, *rows, self.stored.adjacency)
            out = self.ruled_out(skeleton, *rows, loops)
            found = self._nearest(boxes, known, out, k, only, candidates)
            yield from self.named(skeleton, boxes, known, out, found, candidates is not None)

    def ruled_out(
        self, skeleton: Query, entities: IntArray, relations: IntArray, loops: bool = False
    ) -> Ragged:
        """Who cannot answer, query by query; nobody where loops are wanted."""
        if loops:
            return Ragged.empty(len(entities))
        return ruled_out(skeleton, entities, relations, self._without_loops)

    @cached_property
    def _without_loops(self) -> BoolArray:
        return without_loops(self.stored)

    def _nearest(
        self,
        boxes: Boxes,
        known: Ragged,
        out: Ragged,
        k: int,
        only: Only,
        candidates: IntArray | None,
    ) -> list[Nearest]:
        """What is nearest of what is wanted, query by query."""
        _check(k, only)
        if only != "known":
            excluded = joined(out, known) if only == "predicted" else out
            return _by_query(self.space.nearest(boxes, k, candidates, excluded))
        found = []
        for row, own in enumerate(known):
            allowed = own if candidates is None else np.intersect1d(own, candidates)
            found += _by_query(self.space.nearest(boxes.of(slice(row, row + 1)), k, allowed))
        return found

    def named(
        self,
        skeleton: Query,
        boxes: Boxes,
        known: Ragged,
        out: Ragged,
        found: list[Nearest],
        restricted: bool,
    ) -> Iterator[list[Answer]]:
        """What is nearest, with names, probabilities and what is known."""
        names, labels = self.graph.entities[:], self.graph.labels
        chance = self.calibration.chance(skeleton)
        for row, one in enumerate(found):
            count = int(np.count_nonzero(one.entities >= 0))
            entities, distances = one.entities[:count], one.distances[:count]
            is_known = _among(entities, known[row])
            # The rank among all that are not known: those listed, and those that may not answer.
            predicted = distances[~is_known]
            nearer = np.searchsorted(predicted, distances)
            if restricted:
                box = boxes.of(slice(row, row + 1))
                nearer[~is_known] += self.space.nearer(box, entities[~is_known], known[row])
            elif len(out[row]):
                away = self.space.distances(boxes.of(slice(row, row + 1)), out[row]).min(0)
                nearer += np.searchsorted(np.sort(away), distances)
            probabilities = chance(distances, 1 + nearer)
            ids = entities.tolist()
            own = [names[entity] for entity in ids]
            columns = (
                own,
                [labels.get(entity) or name for entity, name in zip(ids, own, strict=True)],
                distances.tolist(),
                np.where(is_known, 1.0, probabilities).tolist(),
                is_known.tolist(),
                ids,
            )
            yield list(map(Answer._make, zip(*columns, strict=True)))


def _check(k: int, only: Only) -> None:
    if k < 0:
        raise ConfigError(f"the number of answers is 0 or more, not {k}")
    if only not in (None, "known", "predicted"):
        raise ConfigError(f"only known or only predicted answers can be wanted, not {only!r}")


def _by_query(found: Nearest) -> list[Nearest]:
    return list(map(Nearest, found.entities, found.distances))


def _among(values: IntArray, ascending: IntArray) -> npt.NDArray[np.bool_]:
    """Which values are among ascending ones."""
    if not len(ascending):
        return np.zeros(len(values), np.bool_)
    places = np.searchsorted(ascending, values)
    return np.equal(ascending.take(places, mode="clip"), values)


def _row(values: tuple[Symbol, ...]) -> IntArray:
    return np.array([values], np.int32).reshape(1, len(values))
