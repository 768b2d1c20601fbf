"""Looking on while a model trains: a live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich.progress import BarColumn, TaskProgressColumn, TextColumn
from rich.progress import Progress as Bar

from query2box.cli.output import stderr
from query2box.evaluation.evaluator import Report
from query2box.experiment.config import RunConfig
from query2box.experiment.run import Spectator
from query2box.graph.knowledge_graph import KnowledgeGraph
from query2box.training.trainer import Progress


class Onlooker(Spectator):
    """Says in plain lines how a run goes, a line a validation or half a minute."""

    every = 30.0

    def __init__(self) -> None:
        self.asked_to_stop = False
        self.best: float | None = None
        self._told = -self.every

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
        if self.asked_to_stop:
            self.say("saving, then stopping")
        return self.asked_to_stop

    def begin(self, config: RunConfig, graph: KnowledgeGraph) -> None:
        """Say what is trained on what."""
        self.say(
            f"{config.system} ({config.model.width} dimensions) on {graph.name}: "
            f"{graph.num_entities:,} entities, {graph.num_relations:,} relations, "
            f"{len(graph.edges_of('train')):,} training edges"
        )
        self.say("getting ready (the first run on a machine compiles for a while) ...")

    def progress(self, progress: Progress) -> None:
        """A line now and then."""
        if progress.seconds - self._told >= self.every:
            self._told = progress.seconds
            self.say(f"{progress.share:4.0%}  {_line(progress)}")

    def validated(self, progress: Progress, report: Report, best: bool) -> None:
        """A line a validation."""
        figures = report.average
        if best:
            self.best = figures.hits_3
        self.say(
            f"{progress.share:4.0%}  validation: H@3 {figures.hits_3:.3f}, MRR {figures.mrr:.3f}"
            + (" (best)" if best else "")
        )


class LiveOnlooker(Onlooker):
    """A bar with loss, speed, validation and time left."""

    def __enter__(self) -> Self:
        self._bar = Bar(
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[figures]}"),
            console=stderr(),
            transient=True,
        )
        self._bar.start()
        self._task = self._bar.add_task("compiling", total=1.0, figures="")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        """Take the bar away."""
        self._bar.stop()

    def progress(self, progress: Progress) -> None:
        """Move the bar."""
        best = "" if self.best is None else f", best H@3 {self.best:.3f}"
        self._bar.update(
            self._task,
            description="training",
            completed=progress.share,
            figures=f"{_line(progress)}{best}, {_left(progress)} left",
        )


def onlooker() -> Onlooker:
    """Live where somebody looks on, plain where a file does."""
    return LiveOnlooker() if stderr().is_terminal else Onlooker()


def _line(progress: Progress) -> str:
    return (
        f"step {progress.step:,}, loss {progress.loss:.3f}, "
        f"{progress.queries_per_second:,.0f} queries/s"
    )


def _left(progress: Progress) -> str:
    seconds = progress.seconds * (1 - progress.share) / max(progress.share, 1e-9)
    return (
        f"{seconds // 60:.0f} min {seconds % 60:02.0f} s" if seconds >= 60 else f"{seconds:.0f} s"
    )
