"""Where requests become answers: the run that is served, and the lanes that work on it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

from query2box.answering.answers import Reply
from query2box.answering.assignment import Check
from query2box.answering.questions import Asked, QueryLike, understand
from query2box.errors import QuerySyntaxError, RunError, TooManyDisjunctsError
from query2box.graph.knowledge_graph import Split
from query2box.query.dnf import count_disjuncts
from query2box.query.language import is_sparql, parse_question
from query2box.query.names import bind
from query2box.query.nodes import Query, Variable, walk
from query2box.serving.batches import Ask, answer_batch
from query2box.serving.errors import TooLargeError, UnavailableError
from query2box.serving.lanes import Lane, each, until
from query2box.serving.limits import Limits
from query2box.serving.pauses import settle
from query2box.serving.results import ALSO_SELECTED
from query2box.serving.served import Served
from query2box.workload.denotation import at_most

Job = Callable[[Check], Any]
"""What one thread does; what takes long calls its argument again and again, which may end it."""

T = TypeVar("T")


class Selection(NamedTuple):
    """A SPARQL query that was understood, and the variables that it selects."""

    asked: Asked
    selected: tuple[str, ...]


class Desk:
    """Takes requests; heavy work is done in threads, and what waits is bounded."""

    def __init__(self, run: str | Path, stored: Split = "train", limits: Limits | None = None):
        self.run = Path(run)
        self.stored: Split = stored
        self.limits = limits = limits or Limits()
        self.served = Served.load(run, stored)
        self._loading = asyncio.Lock()
        self.reading: Lane[Job, Any] = Lane("reading", each(_call), limits.requests, threads=2)
        self.answering: Lane[Ask, Reply] = Lane(
            "answering", answer_batch, limits.waiting, most=limits.batch
        )
        self.thinking: Lane[Job, Any] = Lane("thinking", each(self._bounded), limits.thinking)
        settle()

    def deadline(self) -> float:
        """By when a request that comes now must be done."""
        return time.monotonic() + self.limits.seconds

    async def read(self, query: object, served: Served, deadline: float) -> Asked:
        """Understand a question."""
        if isinstance(query, str):
            self._check_length(query)

        def understood(_: Check) -> Asked:
            return self._checked(understand(cast("QueryLike", query), served.graph))

        return await self.look_up(understood, deadline)

    async def read_sparql(self, text: str, served: Served, deadline: float) -> Selection:
        """Understand a SPARQL query, and what it selects."""
        self._check_length(text)

        def understood(_: Check) -> Selection:
            if not is_sparql(text):
                raise QuerySyntaxError("this does not begin like SPARQL", text, 0)
            question = parse_question(text, served.graph, also_selected=ALSO_SELECTED)
            asked = self._checked(Asked(bind(question.query, served.graph), question.limit))
            return Selection(asked, question.selected)

        return await self.look_up(understood, deadline)

    def _check_length(self, text: str) -> None:
        if len(text) > self.limits.query_characters:
            raise TooLargeError(
                f"the question has {len(text):,} characters; "
                f"at most {self.limits.query_characters:,} are read"
            )

    def _checked(self, asked: Asked) -> Asked:
        count = count_disjuncts(asked.query)
        if count > self.limits.disjuncts:
            raise TooManyDisjunctsError(count, self.limits.disjuncts)
        return asked

    async def answer(self, ask: Ask, deadline: float) -> Reply:
        """Answer a question, together with others that wait.

        One with shared variables may keep its thread busy for much longer than a scan
        takes, so it does not go together with others, which would have to wait for it.
        """
        if shares_variables(ask.asked.query):
            return await self.think(lambda _: ask.alone(), deadline)
        return await self.answering.do(ask, deadline)

    async def look_up(self, job: Callable[[Check], T], deadline: float) -> T:
        """Do what takes a moment, but would hold up the event loop."""
        return cast("T", await self.reading.do(job, deadline))

    async def think(self, job: Callable[[Check], T], deadline: float) -> T:
        """Do what may take long, one piece after the other.

        The job is given what it is to call again and again: past the deadline it raises.
        """
        return cast("T", await self.thinking.do(job, deadline))

    def _bounded(self, job: Job, deadline: float) -> Any:
        # Sets are collected in a map of all entities, so in a large graph each takes longer.
        with at_most(self.limits.work // (1 + self.served.graph.num_entities // 65_536)):
            return _call(job, deadline)

    def check_open(self) -> None:
        """Refuse where questions are taken no more."""
        if self.answering.closed:
            raise UnavailableError("the server is shutting down")

    async def reload(self) -> Served:
        """Serve the run as it is on disk now; requests under way keep the old one."""
        async with self._loading:
            try:
                self.served = await asyncio.to_thread(Served.load, self.run, self.stored)
            except OSError as error:
                raise RunError(f"{self.run}: the run cannot be read ({error})") from error
            settle()
            return self.served

    @property
    def lanes(self) -> tuple[Lane[Any, Any], ...]:
        """All threads that work for this desk."""
        return self.reading, self.answering, self.thinking

    def close(self) -> None:
        """Finish what is queued."""
        for lane in self.lanes:
            lane.close()


def shares_variables(query: Query) -> bool:
    """Whether exact answers need the values of a variable tried one after the other."""
    return any(isinstance(node, Variable) for node in walk(query))


def _call(job: Job, deadline: float) -> Any:
    try:
        return job(until(deadline))
    except RecursionError:
        raise QuerySyntaxError("the question is nested too deep") from None
