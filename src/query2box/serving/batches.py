"""What waits is answered together: one scan for all questions of a run."""

from __future__ import annotations

from dataclasses import dataclass

from query2box.answering.answers import Reply
from query2box.answering.questions import Asked
from query2box.answering.reasoner import Only
from query2box.answering.together import Wanted, reply_together
from query2box.serving.lanes import Task
from query2box.serving.served import Served


@dataclass(frozen=True, eq=False)
class Ask:
    """A question that was understood, and what is wanted of its answers."""

    served: Served
    asked: Asked
    k: int
    only: Only = None
    candidates: list[str] | None = None

    @property
    def wanted(self) -> Wanted:
        """The question; a LIMIT in its text counts."""
        limit = self.asked.limit
        k = self.k if limit is None else min(self.k, limit)
        return Wanted(self.asked.query, k, self.only)

    def alone(self) -> Reply:
        """The reply to this question alone."""
        query, k, only = self.wanted
        return self.served.reasoner.reply(query, k, only=only, candidates=self.candidates)


def answer_batch(tasks: list[Task[Ask, Reply]]) -> None:
    """Answer all that waits; a question that cannot be answered fails alone."""
    by_run: dict[Served, list[Task[Ask, Reply]]] = {}
    for task in tasks:
        if task.work.candidates is None:
            by_run.setdefault(task.work.served, []).append(task)
        else:
            _answer_alone(task)
    for served, those in by_run.items():
        try:
            replies = reply_together(served.reasoner, [task.work.wanted for task in those])
        except Exception:  # noqa: BLE001 -- one by one it shows whose trouble it is
            for task in those:
                _answer_alone(task)
            continue
        for task, reply in zip(those, replies, strict=True):
            task.future.set_result(reply)


def _answer_alone(task: Task[Ask, Reply]) -> None:
    try:
        task.future.set_result(task.work.alone())
    except Exception as error:  # noqa: BLE001 -- told to the one who waits
        task.future.set_exception(error)
