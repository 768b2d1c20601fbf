"""`update`: a trained model takes up new edges, entities and relations."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from query2box.bundle import CONFIG, MODEL, Bundle, create_run, save_tensors
from query2box.errors import ConfigError, RunError
from query2box.evaluation.evaluator import evaluate_queries, rank_group
from query2box.evaluation.link_prediction import edge_queries
from query2box.evaluation.metrics import Metrics
from query2box.experiment.config import RunConfig
from query2box.experiment.journal import Journal
from query2box.experiment.queries import validation_queries
from query2box.experiment.run import Spectator, chosen_device
from query2box.experiment.threads import use_threads
from query2box.graph.adjacency import Adjacency, IntArray
from query2box.graph.growing import Growth, enlarge
from query2box.graph.readers.reading import Reading
from query2box.model.embedding import QueryEmbedding
from query2box.model.growing import grow
from query2box.training.trainer import Progress, Trainer
from query2box.workload.query_set import QueryGroup

SHARE = 0.1
"""Of the steps that the run has taken, this many more, if nothing else is said."""

CAUTION = 0.6
"""The learning rate, as a share of the run's own: what was learnt is to stay."""

WARMUP = 0.1
"""Adam begins without moments; its first steps would be too bold."""

JUDGED = 5000
"""New edges that are asked for; of more, so many are drawn."""


class Change(NamedTuple):
    """Figures before and after; None where nothing could be asked."""

    before: Metrics | None
    after: Metrics | None

    def to_json(self) -> dict[str, Any]:
        """As `q2b update --json` prints it."""
        return {name: part and part.to_json() for name, part in self._asdict().items()}


@dataclass(frozen=True)
class Update:
    """What an update has done to a run."""

    entities: tuple[int, int]
    """Before and after, as with relations and training edges."""
    relations: tuple[int, int]
    edges: tuple[int, int]
    duplicates: int
    steps: int
    seconds: float
    """Spent on the fine-tune."""
    old: Change
    """On validation questions, whose answers are those of the graph before."""
    new: Change
    """On those new edges whose names the model knew before, asked for from both ends."""
    all_new: Metrics
    """On all new edges, afterwards."""

    def to_json(self) -> dict[str, Any]:
        """As `q2b update --json` prints it."""
        sizes = ("entities", "relations", "edges")
        found: dict[str, Any] = {
            name: dict(zip(("before", "after"), getattr(self, name), strict=True)) for name in sizes
        }
        found |= {name: getattr(self, name) for name in ("duplicates", "steps", "seconds")}
        return found | {
            "old_edges": self.old.to_json(),
            "new_edges": self.new.to_json() | {"all_after": self.all_new.to_json()},
        }


def update(
    run: str | Path,
    sources: Sequence[str | Path],
    folder: Path,
    reading: Reading | None = None,
    minutes: float | None = None,
    steps: int | None = None,
    seed: int = 0,
    spectator: Spectator | None = None,
) -> Update:
    """Add the edges of files to a run's graph, fine-tune its model, and write both to `folder`."""
    bundle = Bundle.load(run)
    bundle.check()
    config = _config(bundle, Path(run))
    tuning = _tuning(config, bundle.step, minutes, steps, seed)
    threads = use_threads(config.threads)
    growth = enlarge(bundle.graph, sources, reading or Reading())
    graph = growth.graph
    device = chosen_device(config.device)
    questions = validation_queries(
        bundle.graph, bundle.folder, config.validation.validation_queries
    )
    edges = _Edges.draw(growth, np.random.default_rng(seed))
    old_before = _judge(bundle.model, questions)
    new_before, _ = edges.judge(bundle.model, bundle.model)

    model = grow(
        bundle.model,
        graph.num_entities,
        2 * graph.num_relations,
        torch.from_numpy(growth.edges),
        torch.Generator().manual_seed(seed),
    )
    adjacency = graph.train.adjacency
    trainer = Trainer(model.to(device), adjacency, tuning.training, seed, tuning.minutes, threads)
    trainer.batches.batch(0)  # a graph without such queries leaves no folder behind
    create_run(folder, graph, config.to_json(), bundle.folder)
    watcher = _Watcher(Journal(folder), spectator or Spectator())
    watcher.spectator.begin(tuning, graph)
    began = time.perf_counter()
    trainer.run(watcher)
    seconds = time.perf_counter() - began
    model = trainer.model
    save_tensors(folder / MODEL, model.state_dict(), {"step": bundle.step + trainer.step})
    new_after, all_new = edges.judge(model, bundle.model)
    done = Update(
        (bundle.graph.num_entities, graph.num_entities),
        (bundle.graph.num_relations, graph.num_relations),
        (len(bundle.graph.edges_of("train")), len(graph.edges_of("train"))),
        growth.duplicates,
        trainer.step,
        seconds,
        Change(old_before, _judge(model, questions)),
        Change(new_before, new_after),
        all_new,
    )
    watcher.journal.write("update", step=trainer.step, run=str(run), **done.to_json())
    return done


def _config(bundle: Bundle, run: Path) -> RunConfig:
    """How the run was trained; its update keeps that, so that updates can follow updates."""
    try:
        return RunConfig.from_json({k: v for k, v in bundle.config.items() if k != "graph"})
    except ConfigError as error:
        raise RunError(f"{run / CONFIG}: {error}") from error


def _tuning(
    config: RunConfig, taken: int, minutes: float | None, steps: int | None, seed: int
) -> RunConfig:
    """The run's options, but shorter and more careful."""
    if minutes is not None and steps is not None:
        raise ConfigError("say either minutes or steps")
    if minutes is None and steps is None:
        steps = max(round(SHARE * taken), 1)
    training = replace(
        config.training,
        steps=config.training.steps if steps is None else steps,
        learning_rate=CAUTION * config.training.learning_rate,
        travel=CAUTION * SHARE * config.training.travel,
        warmup=WARMUP,
        floor=0.0,
    )
    return replace(config, training=training, minutes=minutes, seed=seed)


class _Watcher:
    """Journals and shows the steps of a fine-tune, which is too short to be saved midway."""

    report_seconds = 1.0
    checkpoint_seconds = float("inf")
    validations = 0

    def __init__(self, journal: Journal, spectator: Spectator) -> None:
        self.journal = journal
        self.spectator = spectator

    def report(self, progress: Progress) -> None:
        """Journal and show some steps."""
        self.journal.write("progress", **asdict(progress))
        self.spectator.progress(progress)

    def validate(self, trainer: Trainer) -> None:
        """The last model counts: the best on old questions may not have placed what is new."""

    def checkpoint(self, trainer: Trainer) -> None:
        """Nothing to resume."""

    def stopped(self) -> bool:
        """Whether the spectator asked to stop."""
        return self.spectator.stopped()


def _judge(model: QueryEmbedding, groups: Sequence[QueryGroup]) -> Metrics | None:
    return evaluate_queries(model, groups).average if groups else None


class _Edges(NamedTuple):
    """New edges to ask for, and all others of the graph, which do not count against them."""

    asked: IntArray
    others: IntArray

    @classmethod
    def draw(cls, growth: Growth, rng: np.random.Generator) -> _Edges:
        """All new edges, or many of them."""
        order = rng.permutation(len(growth.edges))
        asked, left = np.split(growth.edges[order], [JUDGED])
        old = growth.graph.edges_of("train")[: -len(growth.edges)]
        held = [growth.graph.edges_of(split) for split in growth.graph.splits if split != "train"]
        return cls(asked, np.concatenate((old, left, *held)))

    def judge(
        self, model: QueryEmbedding, before: QueryEmbedding
    ) -> tuple[Metrics | None, Metrics]:
        """A model's figures on edges whose names it had `before`, and on all that it knows now."""
        asked, others = (_within(edges, model) for edges in self)
        sizes = len(model.points), len(model.centers) // 2
        group = edge_queries(asked, Adjacency.build(others, *sizes))
        ranks = rank_group(model, group).realistic
        rows = group.hard.rows
        known = (
            (group.entities[rows, 0] < len(before.points))
            & (group.relations[rows, 0] < len(before.centers))
            & (group.hard.values < len(before.points))
        )
        familiar = Metrics.by_answer(ranks[known]) if known.any() else None
        return familiar, Metrics.by_answer(ranks)


def _within(edges: IntArray, model: QueryEmbedding) -> IntArray:
    """The edges of which a model knows entities and relation."""
    sizes = len(model.points), len(model.centers) // 2, len(model.points)
    return edges[(edges < sizes).all(axis=1)]
