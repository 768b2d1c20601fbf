"""Running an experiment: what is missing is done, what is done stays."""

from __future__ import annotations

import selectors
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from query2box.errors import DataError
from query2box.experiment.grid.cells import Cell, cells_of, check_options
from query2box.experiment.grid.file import Experiment
from query2box.experiment.grid.processes import Worker
from query2box.experiment.grid.worker import Task
from query2box.experiment.journal import Journal
from query2box.experiment.locking import locked
from query2box.graph.datasets import locate

JOURNAL = "experiment.jsonl"
LOOK_UP_SECONDS = 0.2


class GridSpectator:
    """Somebody who looks on; the command line draws bars, the library is silent."""

    def begin(self, experiment: Experiment, cells: Sequence[Cell], done: int) -> None:
        """The cells that are to be done, and how many of the grid are done already."""

    def waiting(self) -> None:
        """Another command is at work in the folder."""

    def started(self, cell: Cell) -> None:
        """A cell's process was started."""

    def told(self, cell: Cell, event: Mapping[str, Any]) -> None:
        """A cell's process told how it goes."""

    def ended(self, cell: Cell, event: Mapping[str, Any]) -> None:
        """A cell is `done`, `failed` or `stopped`."""

    def stopped(self) -> bool:
        """Whether to save and end now."""
        return False


@dataclass
class Summary:
    """How far an experiment is."""

    cells: list[Cell]
    done: dict[Cell, Mapping[str, Any]] = field(default_factory=dict)
    """With the mean figures of each split."""
    failed: dict[Cell, str] = field(default_factory=dict)

    @property
    def whole(self) -> bool:
        """Whether every cell is done."""
        return len(self.done) == len(self.cells)

    def to_json(self) -> dict[str, Any]:
        """As `q2b experiment --json` prints it."""
        return {
            "whole": self.whole,
            "done": {cell.name: self.done[cell] for cell in self.cells if cell in self.done},
            "failed": {cell.name: reason for cell, reason in self.failed.items()},
        }


def run_experiment(
    experiment: Experiment, command: Sequence[str], spectator: GridSpectator | None = None
) -> Summary:
    """Do every cell that is not done yet, some at once; `command` starts a cell's process."""
    spectator = spectator or GridSpectator()
    cells = cells_of(experiment)
    for cell in cells:
        check_options(cell)
    with locked(experiment.out, spectator.waiting) as lock:
        return _Work(experiment, cells, command, spectator, lock).run()


class _Work:
    """An experiment at work in its folder."""

    def __init__(
        self,
        experiment: Experiment,
        cells: list[Cell],
        command: Sequence[str],
        spectator: GridSpectator,
        lock: int,
    ) -> None:
        self.experiment = experiment
        self.summary = Summary(cells)
        self.spectator = spectator
        self.journal = Journal(experiment.out, JOURNAL)
        self.running: dict[Worker, Cell] = {}
        self._command = command
        self._lock = lock

    def run(self) -> Summary:
        """To the end, or until the spectator asks to stop."""
        self.journal.rewind(0)  # a killed command may have left half a line
        known = self._known()
        todo: deque[Cell] = deque()
        for cell in self.summary.cells:
            entry = known.get(cell.name)
            if entry is not None and self._done(cell, entry):
                self.summary.done[cell] = entry["figures"]
            else:
                todo.append(cell)
        self._note("begin", experiment=self.experiment.grid.name, cells=len(self.summary.cells))
        self.spectator.begin(self.experiment, list(todo), len(self.summary.done))
        try:
            with selectors.DefaultSelector() as self._selector:
                self._run(todo)
        finally:
            for worker in self.running:
                worker.kill()
        return self.summary

    def _run(self, todo: deque[Cell]) -> None:
        stopping = False
        while self.running or (todo and not stopping):
            while todo and not stopping and len(self.running) < self.experiment.grid.jobs:
                self._start(todo.popleft())
            for key, _ in self._selector.select(LOOK_UP_SECONDS):
                self._hear(key.fileobj)  # type: ignore[arg-type]
            if not stopping and self.spectator.stopped():
                stopping = True
                for worker in self.running:
                    worker.stop()

    def _start(self, cell: Cell) -> None:
        grid = self.experiment.grid
        try:
            source = locate(cell.source)
        except DataError as error:
            self._end(cell, {"kind": "failed", "reason": str(error)})
            return
        task = Task(
            source,
            str(cell.folder),
            cell.model,
            cell.preset,
            cell.options,
            grid.splits,
            grid.limit,
            grid.link_prediction,
        )
        self._note("started", cell=cell.name)
        worker = Worker(self._command, task, grid.jobs, self._lock)
        self.running[worker] = cell
        self._selector.register(worker, selectors.EVENT_READ)
        self.spectator.started(cell)

    def _hear(self, worker: Worker) -> None:
        cell = self.running[worker]
        events = worker.hear()
        if events is None:
            self._selector.unregister(worker)
            del self.running[worker]
            self._end(cell, worker.end())
            return
        for event in events:
            self.spectator.told(cell, event)

    def _end(self, cell: Cell, event: Mapping[str, Any]) -> None:
        entry = dict(event)
        kind = entry.pop("kind")
        if kind == "done":
            self.summary.done[cell] = entry["figures"]
            entry |= self._wanted()
        elif kind == "failed":
            self.summary.failed[cell] = entry["reason"]
        self._note(kind, cell=cell.name, **entry)
        self.spectator.ended(cell, event)

    def _note(self, kind: str, **entry: object) -> None:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        self.journal.write(kind, time=now, **entry)

    def _known(self) -> dict[str, dict[str, Any]]:
        """The last entry of each cell."""
        return {entry["cell"]: entry for entry in self.journal.entries() if "cell" in entry}

    def _done(self, cell: Cell, entry: Mapping[str, Any]) -> bool:
        """Whether a cell was done, its folder is there, and no more is wanted of it now."""
        if entry["kind"] != "done" or not cell.began():
            return False
        return all(entry.get(name) == value for name, value in self._wanted().items())

    def _wanted(self) -> dict[str, object]:
        """What is evaluated, as the journal says it."""
        grid = self.experiment.grid
        return {
            "splits": list(grid.splits),
            "limit": grid.limit,
            "link_prediction": grid.link_prediction,
        }
