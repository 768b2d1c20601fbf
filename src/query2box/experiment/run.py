"""`train`: from a graph to a run folder."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import asdict, replace
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
from query2box.errors import ConfigError, RunError
from query2box.evaluation.evaluator import Report, evaluate_queries
from query2box.experiment.config import RunConfig, resolve
from query2box.experiment.journal import Journal
from query2box.experiment.queries import validation_queries
from query2box.experiment.threads import use_threads
from query2box.experiment.warming import warm_up
from query2box.graph.datasets import locate
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
    model: str | None = None,
    preset: str | None = None,
    minutes: float | None = None,
    seed: int | None = None,
    settings: Mapping[str, object] | None = None,
    resume: bool = False,
    queries: str | Path | None = None,
    spectator: Spectator | None = None,
) -> Run:
    """Train a system of the paper (`query2box` by default) and leave a run folder behind.

    `settings` replaces single options by name (docs/options.md). `queries` is a
    folder with validation queries; by default the dataset's own, if `graph` is a
    folder, or else sampled ones. `resume` goes on with what `out` holds, with
    the options that it began with.
    """
    folder = queries
    if not isinstance(graph, KnowledgeGraph):
        graph = locate(graph)
        folder = queries or graph
        graph = KnowledgeGraph.load(graph)
    chosen = dict(settings or {})
    chosen |= {k: v for k, v in (("minutes", minutes), ("seed", seed)) if v is not None}
    if resume:
        config = _resumed(Path(out), graph, model, preset, chosen)
    else:
        config = resolve(model or "query2box", preset or "fast", chosen)
    return Run(Path(out), graph, config, folder, resume).train(spectator or Spectator())


def _resumed(
    path: Path,
    graph: KnowledgeGraph,
    system: str | None,
    preset: str | None,
    settings: Mapping[str, object],
) -> RunConfig:
    """The config of a folder's run: the dataset must be the same, and what is asked for too."""
    document = read_config(path)
    known = document.pop("graph", None)
    if not isinstance(known, dict) or known.get("fingerprint") != fingerprint(graph):
        raise RunError(f"{path}: the dataset has changed since this run began")
    try:
        config = RunConfig.from_json(document)
    except ConfigError as error:
        raise RunError(f"{path / CONFIG}: {error}") from error
    for name, value, own in (("model", system, config.system), ("preset", preset, config.preset)):
        if value not in (None, own):
            raise RunError(f"{path}: this run began with the {name} {own}, not {value}")
    wanted = config.with_settings(settings)
    # What a run computes stays; where it does so may change.
    if replace(wanted, threads=config.threads, device=config.device) != config:
        named = (n for n in settings if config.with_settings({n: settings[n]}) != config)
        raise RunError(f"{path}: this run began with another {', '.join(named)}; that stays")
    return wanted


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
        if not resume and (path / CONFIG).exists():
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
        threads = use_threads(config.threads)
        trainer = Trainer(
            self._new_model(),
            self.graph.train.adjacency,
            config.training,
            config.seed,
            config.minutes,
            threads,
        )
        if self._resume:
            self._restore(trainer)
        else:
            trainer.batches.batch(0)  # a graph without such queries leaves no folder behind
            create_run(self.path, self.graph, config.to_json(), self._folder)
        spectator.begin(config, self.graph)
        warm_up(config, threads)
        self.finished = trainer.run(self)
        if self.best == -math.inf or not (self.path / MODEL).exists():
            self._keep(trainer)
        self.journal.write("end" if self.finished else "stop", step=trainer.step)
        return self

    def _new_model(self) -> QueryEmbedding:
        config = self.config
        device = chosen_device(config.device)
        generator = torch.Generator().manual_seed(config.seed)
        sizes = self.graph.num_entities, 2 * self.graph.num_relations
        try:
            return QueryEmbedding(config.model, *sizes, generator).to(device)
        except RuntimeError as error:
            raise ConfigError(
                f"a model of {config.model.width:,} dimensions does not fit into memory"
            ) from error

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
        except (KeyError, RuntimeError, TypeError, ValueError) as error:
            raise RunError(f"{self.path / CHECKPOINT}: the file does not fit the run") from error
        self.journal.rewind(trainer.step)

    def _validation_queries(self, folder: str | Path | None) -> tuple[QueryGroup, ...]:
        """What the run is judged by while it goes on, if it is."""
        if not self.validations:
            return ()
        return validation_queries(self.graph, folder, self.config.validation.validation_queries)


def chosen_device(name: str) -> torch.device:
    """Where torch is to compute; one that is not there is refused."""
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        raise ConfigError(f"the device {name!r} cannot be used here") from error
    return device
