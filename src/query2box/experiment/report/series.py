"""Runs that differ only in their seed, and what they have in common."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from query2box.errors import ConfigError
from query2box.experiment.config import RunConfig, resolve
from query2box.experiment.report.runs import RunFigures
from query2box.experiment.report.tables import Figure
from query2box.model.config import SYSTEMS


@dataclass(frozen=True)
class Series:
    """Judged runs of one system on one graph, with the same options but for the seed."""

    label: str
    system: str
    runs: tuple[RunFigures, ...]

    def mean(self, read: Callable[[Mapping[str, Any]], float], digits: int = 3) -> Figure | None:
        """Mean and spread of a figure over the runs' evaluations, where all have it."""
        try:
            values = [read(run.evaluation) for run in self.runs if run.evaluation]
        except KeyError:
            return None
        return spread(values, digits)

    def metric(self, metric: str, structure: str) -> Figure | None:
        """A figure of a structure, or of their `average`."""
        return self.mean(
            lambda found: float(
                found["average"][metric]
                if structure == "average"
                else found["structures"][structure][metric]
            )
        )

    @property
    def minutes(self) -> float:
        """How long a run was trained, on average."""
        return math.fsum(run.minutes for run in self.runs) / len(self.runs)

    @property
    def config(self) -> RunConfig:
        """What the runs have in common; the seed is the first one's."""
        return self.runs[0].config


def spread(values: Sequence[float], digits: int = 3) -> Figure | None:
    """The mean and, of two values or more, the sample standard deviation."""
    if not values:
        return None
    mean = math.fsum(values) / len(values)
    if len(values) == 1:
        return Figure(mean, digits=digits)
    variance = math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)
    return Figure(mean, math.sqrt(variance), digits)


def series_of(runs: Iterable[RunFigures]) -> tuple[Series, ...]:
    """The series of one graph's judged runs, in the order of the paper's systems.

    Where a system was trained in several ways, labels say what differs.
    """
    groups: dict[RunConfig, list[RunFigures]] = {}
    for run in runs:
        if run.evaluation is not None:
            groups.setdefault(_without_seed(run.config), []).append(run)
    places = {system: place for place, system in enumerate(SYSTEMS)}
    order = sorted(groups, key=lambda config: places.get(config.system, len(places)))
    return tuple(
        Series(
            _label(config, [other for other in groups if other.system == config.system]),
            config.system,
            tuple(sorted(groups[config], key=lambda run: (run.config.seed, run.name))),
        )
        for config in order
    )


def _without_seed(config: RunConfig) -> RunConfig:
    """What a run computes, apart from chance; where it does so does not matter."""
    return replace(config, seed=0, threads=0, device="cpu")


def _label(config: RunConfig, rivals: Sequence[RunConfig]) -> str:
    different = differences(config, rivals)
    return f"{config.system} ({', '.join(different)})" if different else config.system


def recipe(config: RunConfig) -> str:
    """The preset and what was changed of it, such as `fast, dim 16`."""
    try:
        plain = resolve(config.system, config.preset)
    except ConfigError:  # of another version
        return config.preset
    own = replace(plain, seed=config.seed, minutes=config.minutes, device=config.device)
    changed = differences(config, [replace(own, threads=config.threads)])
    return ", ".join((config.preset, *changed))


def differences(config: RunConfig, others: Sequence[RunConfig]) -> list[str]:
    """Each option in which a config is unlike one of the others, with its value."""
    own, rest = _options(config), [_options(other) for other in others]
    return [f"{n} {_text(own[n])}" for n in own if any(other[n] != own[n] for other in rest)]


def _options(config: RunConfig) -> dict[str, Any]:
    """All options by their names, whichever part they belong to."""
    document = asdict(config)
    parts = [document.pop(name) for name in ("model", "training", "validation")]
    return document | {name: value for part in parts for name, value in part.items()}


def _text(value: object) -> str:
    if isinstance(value, tuple | list):
        return "+".join(map(str, value))
    return f"{value:g}" if isinstance(value, float) else str(value)
