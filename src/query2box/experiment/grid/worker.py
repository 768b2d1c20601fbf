"""The process of one cell: it trains, calibrates and evaluates, and tells how it goes.

Its task comes as one JSON document, what it tells leaves as one JSON document a
line on stdout. It lives as long as its stdin stays open: whoever started it may be
killed at any time, and nothing is to go on unseen.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import FrameType
from typing import NoReturn

from query2box.bundle import CONFIG
from query2box.errors import DataError, Query2boxError
from query2box.evaluation.evaluator import Report
from query2box.experiment.evaluations import evaluated
from query2box.experiment.queries import query_file
from query2box.experiment.run import Run, Spectator, train
from query2box.graph.knowledge_graph import Split
from query2box.training.trainer import Progress


@dataclass(frozen=True)
class Task:
    """What a process is asked to do."""

    source: str
    """A dataset folder or a built-in name."""
    folder: str
    model: str
    preset: str
    options: Mapping[str, object]
    splits: tuple[Split, ...]
    limit: int
    link_prediction: bool

    def to_json(self) -> str:
        """As one line."""
        return json.dumps(asdict(self))


def work(text: str, calibrate: Callable[[Run], object]) -> NoReturn:
    """Do a task; the last line says `done`, `failed` with the reason, or `stopped`."""
    caller = Caller()
    try:
        figures = _work(Task(**json.loads(text)), calibrate, caller)
    except Query2boxError as error:
        caller.tell("failed", reason=str(error))
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        caller.tell("failed", reason=f"{where}{error.strerror or error}")
    except MemoryError:
        caller.tell("failed", reason="there is not enough memory for this")
    else:
        caller.tell("done", figures=figures)
    sys.exit(0)


class Caller(Spectator):
    """Who started this process: told of everything, and heeded when it asks to stop or ends."""

    def __init__(self) -> None:
        self._asked = False
        self._training = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._ask)
        threading.Thread(target=_hang_up, daemon=True).start()

    def tell(self, kind: str, **entry: object) -> None:
        """A line; nobody may be left to read it."""
        try:
            os.write(sys.stdout.fileno(), (json.dumps({"kind": kind, **entry}) + "\n").encode())
        except BrokenPipeError:
            self._asked = True

    def train(self, run: Callable[[], Run]) -> Run:
        """Train, and end here if asked to meanwhile, with the work saved."""
        self._training = True
        found = run()
        self._training = False
        if self._asked or not found.finished:
            self._stop()
        return found

    def _ask(self, _number: int, _frame: FrameType | None) -> None:
        self._asked = True
        if not self._training:
            self._stop()

    def _stop(self) -> NoReturn:
        self.tell("stopped")
        sys.exit(0)

    def stopped(self) -> bool:
        """Whether to save and end now."""
        return self._asked

    def progress(self, progress: Progress) -> None:
        """Some steps were done."""
        self.tell("progress", **asdict(progress))

    def validated(self, progress: Progress, report: Report, best: bool) -> None:
        """The model was judged on validation queries."""
        figures = report.average.to_json()
        self.tell("validation", share=progress.share, best=best, average=figures)


def _hang_up() -> None:
    """Ask to stop when stdin ends; the main thread hears of it as of any signal."""
    # Not through sys.stdin, whose lock would be held when the process ends.
    while os.read(0, 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


def _work(
    task: Task, calibrate: Callable[[Run], object], caller: Caller
) -> dict[Split, dict[str, float]]:
    """Train or go on, calibrate, evaluate; gives the mean figures of each split."""
    resume = (Path(task.folder) / CONFIG).is_file()
    run = caller.train(
        lambda: train(
            task.source,
            task.folder,
            task.model,
            task.preset,
            settings=task.options,
            resume=resume,
            spectator=caller,
        )
    )
    calibrate(run)
    found: dict[Split, dict[str, float]] = {}
    for split in task.splits:
        if split not in run.graph.splits and query_file(task.source, split) is None:
            continue
        caller.tell("evaluating", split=split)
        found[split] = evaluated(run.path, split, task.limit, task.link_prediction)["average"]
    if not found:
        raise DataError(f"there is nothing to evaluate on: no {' and no '.join(task.splits)} edges")
    return found
