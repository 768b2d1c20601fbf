"""A run in the figures that reports tell: its config, its journal and its evaluation."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from query2box.bundle import CONFIG, read_config
from query2box.errors import ConfigError, Query2boxError, RunError
from query2box.experiment.config import RunConfig
from query2box.experiment.evaluations import evaluated
from query2box.experiment.journal import Journal
from query2box.graph.knowledge_graph import Split

CALIBRATION = "calibration.json"


class Point(NamedTuple):
    """A figure on the way: after so many steps and seconds."""

    step: int
    seconds: float
    value: float


@dataclass(frozen=True)
class Reliability:
    """How far the probabilities of answers are from what is true, on validation queries."""

    bins: tuple[tuple[float, float], ...]
    """Mean probability and share of true ones, in bins of probability."""
    errors: Mapping[str, float]
    """The expected calibration error of each structure."""

    @classmethod
    def of(cls, report: Mapping[str, Any]) -> Reliability:
        """From the report that calibration leaves behind."""
        return cls(
            tuple((float(b["probability"]), float(b["true"])) for b in report.get("bins", ())),
            {name: float(found["ece"]) for name, found in report["structures"].items()},
        )


@dataclass(frozen=True)
class RunFigures:
    """A run as reports see it; without an evaluation, `problem` says why."""

    name: str
    graph: Mapping[str, Any]
    """Name and fingerprint of the graph it was trained on."""
    config: RunConfig
    finished: bool
    losses: tuple[Point, ...]
    validations: tuple[Point, ...]
    """H@3 on validation queries."""
    evaluation: Mapping[str, Any] | None = None
    problem: str = ""
    reliability: Reliability | None = None
    path: Path | None = None

    @property
    def steps(self) -> int:
        """Updates so far."""
        return max((p.step for p in (*self.losses, *self.validations)), default=0)

    @property
    def minutes(self) -> float:
        """Time spent so far, validation included."""
        return max((p.seconds for p in (*self.losses, *self.validations)), default=0.0) / 60

    @property
    def fingerprint(self) -> str:
        """Tells graphs apart."""
        return str(self.graph.get("fingerprint", ""))


def collect(runs: Iterable[str | Path], split: Split, limit: int = 0) -> list[RunFigures]:
    """The runs of these folders, judged on a split; a folder named twice counts once.

    A folder that holds no run is an error. A run that cannot be judged is told
    of with its problem; if that is all there are, the first problem is the error.
    """
    folders = {Path(run).resolve(): Path(run) for run in runs}
    found = [_collect_one(run, split, limit) for run in folders.values()]
    if not found:
        raise RunError("name at least one run to report on")
    if all(run.evaluation is None for run in found):
        raise RunError(found[0].problem)
    return found


def _collect_one(run: Path, split: Split, limit: int) -> RunFigures:
    if not run.is_dir():
        raise RunError(f"{run}: there is no such run folder")
    config = read_config(run)
    evaluation: Mapping[str, Any] | None = None
    problem = ""
    try:
        evaluation = evaluated(run, split, limit, link_prediction=True)
    except Query2boxError as error:
        problem = str(error)
    return figures_of(
        run.resolve().name,
        config,
        Journal(run).entries(),
        evaluation,
        problem,
        _read_reliability(run),
        run,
    )


def figures_of(
    name: str,
    config: Mapping[str, Any],
    journal: Iterable[Mapping[str, Any]],
    evaluation: Mapping[str, Any] | None,
    problem: str = "",
    reliability: Reliability | None = None,
    path: Path | None = None,
) -> RunFigures:
    """A run from what its files hold."""
    file = CONFIG if path is None else path / CONFIG
    options = dict(config)
    graph = options.pop("graph", None)
    try:
        resolved = RunConfig.from_json(options)
    except ConfigError as error:
        raise RunError(f"{file}: {error}") from error
    if not isinstance(graph, dict) or not isinstance(graph.get("name"), str):
        raise RunError(f"{file}: the file is damaged (it does not say what graph the run is of)")
    entries = list(journal)
    return RunFigures(
        name,
        graph,
        resolved,
        any(entry.get("kind") == "end" for entry in entries),
        _points(entries, "progress", lambda entry: entry["loss"]),
        _points(entries, "validation", lambda entry: entry["average"]["hits@3"]),
        evaluation,
        problem,
        reliability,
        path,
    )


def _points(entries: list[Mapping[str, Any]], kind: str, value: Any) -> tuple[Point, ...]:
    """The figures of one kind of entry; entries without them are passed over."""
    found = []
    for entry in entries:
        if entry.get("kind") == kind:
            try:
                point = Point(int(entry["step"]), float(entry["seconds"]), float(value(entry)))
            except (KeyError, TypeError, ValueError):
                continue
            if math.isfinite(point.value):
                found.append(point)
    return tuple(found)


def _read_reliability(run: Path) -> Reliability | None:
    """What calibration noted; None where it did not, or not so that it can be read."""
    try:
        return Reliability.of(json.loads((run / CALIBRATION).read_text("utf-8"))["report"])
    except (OSError, AttributeError, KeyError, TypeError, ValueError):
        return None
