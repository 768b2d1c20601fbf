"""`train`: from a graph to a run folder."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import torch

from query2box.bundle import (
    CONFIG,
    MODEL,
    Bundle,
    create_run,
    fingerprint,
    load_tensors,
    read_config,
    save_tensors,
)
from query2box.errors import ConfigError, DataError, RunError
from query2box.evaluation.evaluator import Report, evaluate_queries
from query2box.experiment.config import RunConfig, resolve
from query2box.experiment.journal import Journal
from query2box.experiment.queries import evaluation_queries
from query2box.experiment.threads import use_threads
from query2box.graph.knowledge_graph import KnowledgeGraph
from query2box.model.embedding import QueryEmbedding
from query2box.training.trainer import Progress, Trainer
from query2box.workload.query_set import QueryGroup

CHECKPOINT = "checkpoint.safetensors"


class Spectator:
    """Somebody who looks on; the command line draws a progress bar, the library is silent."""

    def begin(self, config: RunConfig, graph: KnowledgeGraph) -> None:
        """The run starts or goes on."""

    def progress(self, progress: Progress) -> None:
        """Some steps were done."""

    def validated(self, progress: Progress, report: Report, best: bool) -> None:
        """The model was judged on validation queries."""

    def stopped(self) -> bool:
        """Whether to save and end now."""
        return False


def train(
    graph: KnowledgeGraph | str | Path,
    out: str | Path,
    model: str = "query2box",
    preset: str = "fast",
    minutes: float | None = None,
    seed: int = 0,
    settings: Mapping[str, object] | None = None,
    resume: bool = False,
    queries: str | Path | None = None,
    spectator: Spectator | None = None,
) -> Run:
    """Train a system of the paper and leave a run folder behind.

    `settings` replaces single options by name (docs/options.md). `queries` is a
    folder with validation queries; by default the dataset's own, if `graph` is a
    folder, or else sampled ones. `resume` goes on with what `out` holds.
    """
    folder = queries
    if not isinstance(graph, KnowledgeGraph):
        folder = queries or graph
        graph = KnowledgeGraph.load(graph)
    chosen: dict[str, object] = {"seed": seed, **(settings or {})}
    if minutes is not None:
        chosen["minutes"] = minutes
    config = resolve(model, preset, chosen)
    return Run(Path(out), graph, config, folder, resume).train(spectator or Spectator())


class Run:
    """A run folder at work."""

    report_seconds = 1.0

    def __init__(
        self,
        path: Path,
        graph: KnowledgeGraph,
        config: RunConfig,
        queries: str | Path | None = None,
        resume: bool = False,
    ) -> None:
        self.path = path
        self.graph = graph
        self.journal = Journal(path)
        self.best = -math.inf
        self.finished = False
        if resume:
            config = self._resumed(config)
        elif (path / CONFIG).exists():
            raise RunError(f"{path}: there is a run already; --resume goes on with it")
        self.config = config
        self.checkpoint_seconds = config.validation.checkpoint_seconds
        self.validations = config.validation.validations
        self._folder = queries
        self._validation = self._validation_queries(queries)
        self._resume = resume
        self._progress: Progress | None = None

    def train(self, spectator: Spectator) -> Run:
        """Train to the end, or until the spectator asks to stop."""
        self._spectator = spectator
        config = self.config
        if not self._resume:
            create_run(self.path, self.graph, config.to_json(), self._folder)
        threads = use_threads(config.threads)
        generator = torch.Generator().manual_seed(config.seed)
        model = QueryEmbedding(
            config.model, self.graph.num_entities, 2 * self.graph.num_relations, generator
        ).to(_device(config.device))
        trainer = Trainer(
            model,
            self.graph.train.adjacency,
            config.training,
            config.seed,
            config.minutes,
            threads,
        )
        if self._resume:
            self._restore(trainer)
        spectator.begin(config, self.graph)
        self.finished = trainer.run(self)
        if not (self.path / MODEL).exists():
            self._keep(trainer)
        self.journal.write("end" if self.finished else "stop", step=trainer.step)
        return self

    def load(self) -> Bundle:
        """The best model of the run."""
        return Bundle.load(self.path)

    # What the trainer asks of its watcher

    def report(self, progress: Progress) -> None:
        """Journal and show some steps."""
        self._progress = progress
        self.journal.write("progress", **asdict(progress))
        self._spectator.progress(progress)

    def validate(self, trainer: Trainer) -> None:
        """Judge the model on validation queries; without any, the last one counts as best."""
        if not self._validation:
            self._keep(trainer)
            return
        began = time.perf_counter()
        report = evaluate_queries(trainer.model, self._validation)
        best = report.average.hits_3 > self.best
        if best:
            self.best = report.average.hits_3
            self._keep(trainer)
        self.journal.write(
            "validation",
            step=trainer.step,
            seconds=trainer.seconds,
            best=best,
            validation_seconds=time.perf_counter() - began,
            **report.to_json(),
        )
        if self._progress is not None:
            self._spectator.validated(self._progress, report, best)

    def checkpoint(self, trainer: Trainer) -> None:
        """Save what resuming needs."""
        state = {"step": trainer.step, "seconds": trainer.seconds, "best": self.best}
        save_tensors(self.path / CHECKPOINT, trainer.tensors(), state)

    def stopped(self) -> bool:
        """Whether the spectator asked to stop."""
        return self._spectator.stopped()

    def _keep(self, trainer: Trainer) -> None:
        save_tensors(self.path / MODEL, trainer.model.state_dict(), {"step": trainer.step})

    def _restore(self, trainer: Trainer) -> None:
        if not (self.path / CHECKPOINT).exists():
            self.journal.rewind(-1)
            return  # killed before the first checkpoint: begin anew
        tensors, state = load_tensors(self.path / CHECKPOINT)
        try:
            trainer.restore(tensors, int(state["step"]), float(state["seconds"]))
            self.best = float(state["best"])
        except (KeyError, RuntimeError, ValueError) as error:
            raise RunError(f"{self.path / CHECKPOINT}: the file does not fit the run") from error
        self.journal.rewind(trainer.step)

    def _resumed(self, wanted: RunConfig) -> RunConfig:
        """The config that the folder's run has; the dataset must be the same."""
        document = read_config(self.path)
        known = document.pop("graph", {})
        if known.get("fingerprint") != fingerprint(self.graph):
            raise RunError(f"{self.path}: the dataset has changed since this run began")
        config = RunConfig.from_json(document)
        if (config.system, config.seed) != (wanted.system, wanted.seed):
            raise RunError(
                f"{self.path}: this run is of {config.system} with seed {config.seed}, "
                f"not of {wanted.system} with seed {wanted.seed}"
            )
        return config

    def _validation_queries(self, folder: str | Path | None) -> tuple[QueryGroup, ...]:
        if "valid" not in self.graph.splits or not self.validations:
            return ()
        try:
            limit = self.config.validation.validation_queries
            return evaluation_queries(self.graph, "valid", folder, limit)
        except DataError:
            return ()


def _device(name: str) -> torch.device:
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        raise ConfigError(f"the device {name!r} cannot be used here") from error
    return device
