"""The trials of a tuning, as its journal and its table tell them."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from query2box.experiment.tuning.space import Value
from query2box.graph.files import atomic_text

State = Literal["complete", "pruned", "failed"]


@dataclass(frozen=True)
class Trial:
    """Options that were tried."""

    number: int
    options: Mapping[str, Value]
    state: State
    best: float | None = None
    """The best H@3 on validation queries."""
    validations: list[float] = field(default_factory=list)
    """H@3 at each validation."""
    reason: str = ""
    """Why it failed."""


def best_of(trials: Iterable[Trial]) -> Trial | None:
    """The best of those that were not given up; the earlier one of equals."""
    found = [trial for trial in trials if trial.state == "complete" and trial.best is not None]
    return max(found, key=lambda trial: (trial.best, -trial.number), default=None)


def write_table(path: Path, trials: Iterable[Trial]) -> None:
    """All trials as CSV, a column an option."""
    trials = list(trials)
    names = list(dict.fromkeys(name for trial in trials for name in trial.options))
    with atomic_text(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("trial", "state", "hits@3", "validations", *names))
        for trial in trials:
            options = (trial.options.get(name, "") for name in names)
            best = "" if trial.best is None else trial.best
            row = (trial.number, trial.state, best, len(trial.validations), *options)
            writer.writerow(row)


def write_options(path: Path, comment: str, options: Mapping[str, object]) -> None:
    """Options as the table `[settings]` of an experiment file."""
    with atomic_text(path) as file:
        file.write(f"# {comment}\n[settings]\n")
        file.writelines(f"{name} = {_toml(value)}\n" for name, value in options.items())


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps("none" if value is None else str(value), ensure_ascii=False)
