"""Looking on while an experiment runs: live bars on a terminal, plain lines elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from rich.progress import BarColumn, TaskID, TaskProgressColumn, TextColumn
from rich.progress import Progress as Bars

from query2box.cli.output import stderr
from query2box.experiment.grid.cells import Cell
from query2box.experiment.grid.file import Experiment
from query2box.experiment.grid.runner import GridSpectator


class GridOnlooker(GridSpectator):
    """Says in plain lines how an experiment goes, a line a validation."""

    def __init__(self) -> None:
        self.asked_to_stop = False
        self._told = False
        self._reasons: set[str] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        """Nothing to put away."""

    def say(self, text: str) -> None:
        """A line on stderr."""
        stderr().print(text, markup=False, soft_wrap=True)

    def stopped(self) -> bool:
        """Whether somebody pressed Ctrl-C."""
        if self.asked_to_stop and not self._told:
            self._told = True
            self.say("saving, then stopping")
        return self.asked_to_stop

    def begin(self, experiment: Experiment, cells: Sequence[Cell], done: int) -> None:
        """Say how much there is to do."""
        before = f", {done} done before" if done else ""
        self.say(f"{experiment.grid.name}: {len(cells)} runs in {experiment.out}{before}")

    def waiting(self) -> None:
        """Another command is at work in the folder."""
        self.say("waiting for another command that is at work in this folder")

    def started(self, cell: Cell) -> None:
        """A cell's process was started."""
        self.say(f"{cell.name}: {'goes on' if cell.began() else 'starts'}")

    def told(self, cell: Cell, event: Mapping[str, Any]) -> None:
        """A line a validation and a line an evaluation."""
        if event["kind"] == "validation":
            self.say(f"{cell.name}: {event['share']:4.0%}  {_validation(event)}")
        elif event["kind"] == "evaluating":
            self.say(f"{cell.name}: evaluating on {event['split']}")

    def ended(self, cell: Cell, event: Mapping[str, Any]) -> None:
        """What became of a cell; a reason that several share is told once."""
        if event["kind"] == "done":
            figures = (f"{s} H@3 {row['hits@3']:.3f}" for s, row in event["figures"].items())
            self.say(f"{cell.name}: done, {', '.join(figures)}")
        elif event["kind"] == "stopped":
            self.say(f"{cell.name}: stopped")
        else:
            reason = event["reason"]
            again = reason in self._reasons
            self._reasons.add(reason)
            self.say(f"{cell.name}: failed{' likewise' if again else f': {reason}'}")


class LiveGridOnlooker(GridOnlooker):
    """A bar of all runs, and one of each that is at work."""

    def __enter__(self) -> Self:
        self._tasks: dict[Cell, TaskID] = {}
        self._bars = Bars(
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[figures]}"),
            console=stderr(),
            transient=True,
        )
        self._bars.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        """Take the bars away."""
        self._bars.stop()

    def begin(self, experiment: Experiment, cells: Sequence[Cell], done: int) -> None:
        """The bar of all runs."""
        super().begin(experiment, cells, done)
        total = len(cells) + done
        self._all = self._bars.add_task("all runs", total=total, completed=done, figures="")

    def started(self, cell: Cell) -> None:
        """A bar more."""
        self._tasks[cell] = self._bars.add_task(cell.name, total=1.0, figures="compiling")

    def told(self, cell: Cell, event: Mapping[str, Any]) -> None:
        """Move a bar."""
        task = self._tasks[cell]
        if event["kind"] == "progress":
            line = f"step {event['step']:,}, {event['queries_per_second']:,.0f} queries/s"
            self._bars.update(task, completed=event["share"], figures=line)
        elif event["kind"] == "validation":
            self._bars.update(task, completed=event["share"], figures=_validation(event))
        elif event["kind"] == "evaluating":
            self._bars.update(task, completed=1.0, figures=f"evaluating on {event['split']}")

    def ended(self, cell: Cell, event: Mapping[str, Any]) -> None:
        """A bar less, and a line that stays."""
        super().ended(cell, event)
        if cell in self._tasks:
            self._bars.remove_task(self._tasks.pop(cell))
        if event["kind"] != "stopped":
            self._bars.advance(self._all)


def grid_onlooker() -> GridOnlooker:
    """Live where somebody looks on, plain where a file does."""
    return LiveGridOnlooker() if stderr().is_terminal else GridOnlooker()


def _validation(event: Mapping[str, Any]) -> str:
    figures = event["average"]
    best = " (best)" if event["best"] else ""
    return f"validation: H@3 {figures['hits@3']:.3f}, MRR {figures['mrr']:.3f}{best}"
