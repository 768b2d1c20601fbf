"""The experiment file: what to train on what, with which options, and where to."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from query2box.errors import ConfigError
from query2box.experiment.options import unknown_option, with_options
from query2box.graph.files import open_binary
from query2box.model.config import SYSTEMS

REPORT = "report"
"""The folder beside the datasets' that the report is written to."""
MAX_JOBS = 64


@dataclass(frozen=True)
class Grid:
    """The table `[experiment]`."""

    name: str = ""
    """By default the file's."""
    out: str = ""
    """The folder to write; by default `runs/` and the name."""
    models: tuple[str, ...] = tuple(SYSTEMS)
    datasets: tuple[str, ...] = ()
    """Folders, built-in names, or names of folders in `data` or `$Q2B_SHARED/data`."""
    seeds: tuple[int, ...] = (0,)
    preset: str = "fast"
    minutes: float | None = None
    """Of each run; for all of them the same, unless a table below says otherwise."""
    steps: int | None = None
    splits: tuple[Literal["valid", "test"], ...] = ("valid", "test")
    """What is evaluated at the end, where a dataset has it."""
    limit: int = 0
    """Queries of each structure; 0 means all."""
    link_prediction: bool = False
    """Whether the edges of the splits are asked for as well (appendix C)."""
    jobs: int = 1
    """Runs at once; they share the cores evenly."""


@dataclass(frozen=True)
class Experiment:
    """An experiment file, read."""

    grid: Grid
    settings: Mapping[str, object] = field(default_factory=dict)
    """Options of every run (docs/options.md)."""
    datasets: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """Options of the runs on a dataset; they go before those of every run."""
    models: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """Options of the runs of a system; they go before all others."""

    @property
    def out(self) -> Path:
        """The folder of everything that it leaves behind."""
        return Path(self.grid.out or Path("runs") / self.grid.name)

    def options(self, dataset: str, model: str) -> dict[str, object]:
        """The options of a run; the more special ones count."""
        own = {"minutes": self.grid.minutes, "steps": self.grid.steps}
        return {
            **{name: value for name, value in own.items() if value is not None},
            **self.settings,
            **self.datasets.get(dataset, {}),
            **self.models.get(model, {}),
        }


def read_experiment(
    path: str | Path,
    grid: Mapping[str, object] | None = None,
    settings: Mapping[str, object] | None = None,
) -> Experiment:
    """Read an experiment file; `grid` and `settings` replace single entries of its tables."""
    path = Path(path)
    try:
        with open_binary(path) as file:
            document = tomllib.load(file)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigError(f"{path}: this is no TOML ({error})") from error
    try:
        return _experiment(document, path.name.partition(".")[0], grid or {}, settings or {})
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from error


def dataset_name(source: str) -> str:
    """What a dataset is called: its built-in name or the name of its folder."""
    return Path(source).name or Path(source).resolve().name


def _experiment(
    document: Mapping[str, Any],
    name: str,
    grid: Mapping[str, object],
    settings: Mapping[str, object],
) -> Experiment:
    tables = ("experiment", "settings", "datasets", "models")
    for table, content in document.items():
        if table not in tables:
            raise unknown_option(table, tables)
        _must_be_table(table, content)
    found = Grid(name=name)
    found = with_options(found, {**document.get("experiment", {}), **grid})
    _check(found)
    return Experiment(
        found,
        _without_seed({**document.get("settings", {}), **settings}),
        _by_name("datasets", document, tuple(map(dataset_name, found.datasets))),
        _by_name("models", document, found.models),
    )


def _by_name(
    table: str, document: Mapping[str, Any], names: tuple[str, ...]
) -> dict[str, Mapping[str, object]]:
    """The tables of options by dataset or model."""
    found: dict[str, Mapping[str, object]] = {}
    for name, content in document.get(table, {}).items():
        if name not in names:
            raise ConfigError(f"[{table}.{name}]: the experiment has only {', '.join(names)}")
        _must_be_table(f"{table}.{name}", content)
        found[name] = _without_seed(content)
    return found


def _must_be_table(name: str, content: object) -> None:
    if not isinstance(content, Mapping):
        raise ConfigError(f"[{name}] is a table of options, not {content!r}")


def _without_seed(settings: Mapping[str, object]) -> Mapping[str, object]:
    if "seed" in settings:
        raise ConfigError("the seeds stand in [experiment] as a list, `seeds`")
    return settings


def _check(grid: Grid) -> None:
    """Refuse what would train nothing, or two runs in one folder."""
    names = [dataset_name(source) for source in grid.datasets]
    for what, values in (
        ("models", grid.models),
        ("datasets", names),
        ("seeds", grid.seeds),
        ("splits", grid.splits),
    ):
        if not values:
            raise ConfigError(f"[experiment] needs {what}, a list of at least one")
        twice = [value for value in values if values.count(value) > 1]  # type: ignore[arg-type]
        if twice:
            raise ConfigError(f"{what}: {twice[0]!r} is there twice")
    for name in names:
        if name in ("", REPORT) or name.startswith("."):
            raise ConfigError(f"a dataset cannot be called {name!r} here; rename its folder")
    if grid.limit < 0:
        raise ConfigError("limit must not be negative")
    if not 1 <= grid.jobs <= MAX_JOBS:
        raise ConfigError(f"jobs must be from 1 to {MAX_JOBS}")
