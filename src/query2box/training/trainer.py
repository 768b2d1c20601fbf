"""The loop: steps, their learning rate, and when to look up from the work."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import torch

from query2box.errors import RunError
from query2box.graph.adjacency import Adjacency
from query2box.model.embedding import QueryEmbedding
from query2box.model.heads import join, split
from query2box.training.ahead import Ahead
from query2box.training.batches import Batches
from query2box.training.config import TrainingConfig
from query2box.training.pupil import Pupil, below
from query2box.training.step import loss_shape


@dataclass(frozen=True)
class Progress:
    """How far a run is."""

    step: int
    share: float
    """Of the whole run, from 0 to 1."""
    seconds: float
    """Spent training, judging and saving, earlier parts of a resumed run included."""
    loss: float
    """Mean since the last report."""
    queries_per_second: float
    learning_rate: float


class Watcher(Protocol):
    """What happens around the steps; the trainer knows neither files nor evaluation."""

    report_seconds: float
    checkpoint_seconds: float
    validations: int

    def report(self, progress: Progress) -> None:
        """Tell somebody."""

    def validate(self, trainer: Trainer) -> None:
        """Judge the model, and keep it if it is the best so far."""

    def checkpoint(self, trainer: Trainer) -> None:
        """Save everything that `resume` needs."""

    def stopped(self) -> bool:
        """Whether somebody asked to stop."""
        ...


class Trainer:
    """A model's heads, which take turns, and their place in the stream of batches."""

    def __init__(
        self,
        model: QueryEmbedding,
        adjacency: Adjacency,
        config: TrainingConfig,
        seed: int,
        minutes: float | None = None,
        threads: int = 2,
    ) -> None:
        self.pupils = [Pupil(head) for head in split(model)]
        self.config = config
        self.minutes = minutes
        self.threads = threads
        self.batches = Batches(adjacency, config, seed, threads)
        self._ahead = Ahead(self.batches)
        self.shape = loss_shape(model, config)
        self.step = 0
        self.seconds = 0.0

    @property
    def model(self) -> QueryEmbedding:
        """The model as it is now; where it has several heads, a copy."""
        return join([pupil.model for pupil in self.pupils])

    @property
    def share(self) -> float:
        """How much of the run is done: by steps or, if that is more, by time."""
        by_time = self.seconds / (60 * self.minutes) if self.minutes else 0.0
        return min(max(self.step / self.config.steps, by_time), 1.0)

    @property
    def learning_rate(self) -> float:
        """Rises for a short while, then falls linearly to the end of the run."""
        share, config = self.share, self.config
        rise = min(1.0, (share + 1 / config.steps) / config.warmup) if config.warmup else 1.0
        return self._highest_rate * rise * (1 - share * (1 - config.floor))

    @property
    def _highest_rate(self) -> float:
        """The learning rate that is risen to; less in a run of many steps."""
        config = self.config
        if not config.travel:
            return config.learning_rate
        steps = self.step / self.share if self.step else config.steps  # of the whole run
        steps /= len(self.pupils)
        return min(config.learning_rate, config.travel / steps * 2 / (1 + config.floor))

    def train(self) -> float:
        """One step; gives its loss."""
        began = time.perf_counter()
        pupil = self.pupils[self.step % len(self.pupils)]
        batch = self._ahead.batch(self.step).to(pupil.model.points.device)
        loss = pupil.train(batch, self.shape, self.learning_rate, self.threads)
        if not math.isfinite(loss):
            raise self._diverged(f"the loss is {loss}")
        self.step += 1
        self.seconds += time.perf_counter() - began
        return loss

    def run(self, watcher: Watcher) -> bool:
        """Train to the end, or until somebody asks to stop; says whether the end was reached."""
        queries = sum(self.config.sizes.values())
        losses: list[float] = []
        reported = saved = self.seconds
        while self.share < 1 and not watcher.stopped():
            before = int(self.share * watcher.validations)
            losses.append(self.train())
            due = int(self.share * watcher.validations) > before
            if self.seconds - reported >= watcher.report_seconds or due or self.share >= 1:
                speed = queries * len(losses) / max(self.seconds - reported, 1e-9)
                watcher.report(
                    Progress(
                        self.step,
                        self.share,
                        self.seconds,
                        sum(losses) / len(losses),
                        speed,
                        self.learning_rate,
                    )
                )
                losses, reported = [], self.seconds
            if due:
                self._pause(watcher.validate)
            if self.seconds - saved >= watcher.checkpoint_seconds:
                self._pause(watcher.checkpoint)
                saved = self.seconds
            if not losses:
                reported = self.seconds
        self._check_finite()
        watcher.checkpoint(self)
        return self.share >= 1

    def _pause(self, work: Callable[[Trainer], None]) -> None:
        """Do something else than training; it counts towards the time that a run may take."""
        self._check_finite()
        began = time.perf_counter()
        work(self)
        self.seconds += time.perf_counter() - began

    def _check_finite(self) -> None:
        """Refuse to keep a model that the last steps have ruined."""
        if not all(bool(tensor.isfinite().all()) for tensor in self.tensors().values()):
            raise self._diverged("the model's numbers are out of bounds")

    def _diverged(self, how: str) -> RunError:
        return RunError(
            f"training diverged at step {self.step:,}: {how}; a smaller learning_rate may help"
        )

    def tensors(self) -> dict[str, torch.Tensor]:
        """Everything that a step changes."""
        return {
            f"{number}.{name}": tensor
            for number, pupil in enumerate(self.pupils)
            for name, tensor in pupil.tensors().items()
        }

    def restore(self, tensors: dict[str, torch.Tensor], step: int, seconds: float) -> None:
        """Continue where `tensors` were taken."""
        for number, pupil in enumerate(self.pupils):
            rounds, further = divmod(step, len(self.pupils))
            pupil.restore(below(str(number), tensors), rounds + (number < further))
        self.step, self.seconds = step, seconds
