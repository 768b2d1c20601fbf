"""Tuning: trials in turn, given up or failed, and how it goes on."""

from __future__ import annotations

import csv
import json
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from families import TINY, families
from query2box.errors import ConfigError, DataError, RunError
from query2box.experiment.run import CHECKPOINT
from query2box.experiment.tuning.plan import Plan
from query2box.experiment.tuning.proposals import PATIENCE, Proposals
from query2box.experiment.tuning.space import Value
from query2box.experiment.tuning.study import JOURNAL, Tuning, TuningSpectator, tune
from query2box.experiment.tuning.trials import Trial, best_of
from query2box.graph.folder import save_graph
from query2box.training.config import TrainingConfig

SETTINGS = TINY | {"checkpoint_seconds": 0}
SEARCH = {"gamma": "6:48:log", "learning_rate": "1e-4:1e-1:log", "direction": "forward,both"}
FIXED = {"alpha": 0.2, "weighting": "equal", "travel": 0.0}
PLAN = Plan(settings={**SETTINGS, **FIXED}, search=SEARCH, seed=5)


class Stopper(TuningSpectator):
    """Asks to stop after so many steps, and remembers what it saw."""

    def __init__(self, steps: int = 10**9) -> None:
        self.left = steps
        self.seen: list[str] = []

    def trial_began(self, number: int, options: Mapping[str, Value]) -> None:
        self.seen.append(f"began {number}")

    def trial_ended(self, trial: Trial) -> None:
        self.seen.append(f"ended {trial.number}")

    def stopped(self) -> bool:
        self.left -= 1
        return self.left < 0


@pytest.fixture(scope="module")
def unbroken(families_data: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Tuning]:
    out = tmp_path_factory.mktemp("tuning")
    return out, tune(families_data, out, PLAN, trials=3)


def test_what_it_leaves_behind(unbroken: tuple[Path, Tuning]) -> None:
    out, found = unbroken
    assert [trial.number for trial in found.trials] == [0, 1, 2]
    assert not found.interrupted
    assert {trial.state for trial in found.trials} == {"complete"}
    # The recipe's own values come first.
    recipe = TrainingConfig()
    assert found.trials[0].options == {
        "learning_rate": recipe.learning_rate,
        "gamma": 24.0,
        "direction": recipe.direction,
    }
    assert found.best is not None
    assert found.best.best == max(trial.best or 0 for trial in found.trials)
    options = tomllib.loads((out / "best.toml").read_text())["settings"]
    assert options == {**SETTINGS, **FIXED, **found.best.options}
    rows = list(csv.DictReader((out / "trials.csv").read_text().splitlines()))
    assert [float(row["hits@3"]) for row in rows] == [trial.best for trial in found.trials]
    assert [float(row["gamma"]) for row in rows] == [t.options["gamma"] for t in found.trials]
    for number in range(3):
        config = json.loads((out / f"trial-00{number}" / "config.json").read_text())
        assert config["model"]["gamma"] == found.trials[number].options["gamma"]
        assert not (out / f"trial-00{number}" / CHECKPOINT).exists()


@pytest.mark.parametrize("steps", [0, 7, 25, 50])
def test_stopped_and_resumed_is_as_unbroken(
    steps: int, families_data: Path, tmp_path: Path, unbroken: tuple[Path, Tuning]
) -> None:
    stopper = Stopper(steps)
    part = tune(families_data, tmp_path, PLAN, 3, spectator=stopper)
    assert part.interrupted
    assert len(part.trials) == steps // 21  # one look more than steps, each trial
    with (tmp_path / JOURNAL).open("a") as file:
        file.write('{"kind": "end", "num')
    whole = tune(families_data, tmp_path, PLAN, 3, spectator=(resumed := Stopper()))
    assert whole.trials == unbroken[1].trials
    assert resumed.seen[0] == f"began {len(part.trials)}"


def test_more_trials_go_on(
    families_data: Path, tmp_path: Path, unbroken: tuple[Path, Tuning]
) -> None:
    assert tune(families_data, tmp_path, PLAN, 1).trials == unbroken[1].trials[:1]
    assert tune(families_data, tmp_path, PLAN, 1).trials == unbroken[1].trials[:1]
    assert tune(families_data, tmp_path, PLAN, 2).trials == unbroken[1].trials[:2]


def test_no_time_no_trial(families_data: Path, tmp_path: Path) -> None:
    found = tune(families_data, tmp_path, PLAN, 3, timeout=0)
    assert found.trials == []
    assert found.best is None
    assert not (tmp_path / "best.toml").exists()


def test_a_trial_may_fail(families_data: Path, tmp_path: Path) -> None:
    rates = {**SEARCH, "learning_rate": "1e30,2e30"}
    plan = replace(PLAN, search=rates, settings={**PLAN.settings, "warmup": 0})
    found = tune(families_data, tmp_path, plan, 1)
    assert found.trials[0].state == "failed"
    assert "diverged" in found.trials[0].reason
    assert found.best is None
    assert tune(families_data, tmp_path, plan, 1).trials == found.trials


@pytest.mark.parametrize(
    ("changed", "name"),
    [
        ({"seed": 6}, "seed"),
        ({"model": "gqe"}, "model"),
        ({"search": {}}, "search"),
        ({"settings": {**PLAN.settings, "dim": 4}}, "settings"),
    ],
)
def test_what_a_tuning_began_with_stays(
    changed: dict, name: str, families_data: Path, unbroken: tuple[Path, Tuning]
) -> None:
    with pytest.raises(RunError, match=f"began with another {name}"):
        tune(families_data, unbroken[0], replace(PLAN, **changed))


def test_a_damaged_journal(families_data: Path, tmp_path: Path) -> None:
    tune(families_data, tmp_path, PLAN, 3, timeout=0)
    with (tmp_path / JOURNAL).open("a") as file:
        file.write('{"kind": "end", "number": 0}\n')
    with pytest.raises(RunError, match="the file is damaged"):
        tune(families_data, tmp_path, PLAN)


def test_nothing_to_compare_by(families_data: Path, tmp_path: Path) -> None:
    never = replace(PLAN, settings={**PLAN.settings, "validations": 0})
    with pytest.raises(ConfigError, match="validations must be above 0"):
        tune(families_data, tmp_path / "out", never)
    save_graph(families(), tmp_path / "data")
    with pytest.raises(DataError, match="no valid edges"):
        tune(tmp_path / "data", tmp_path / "out", PLAN)
    assert not (tmp_path / "out").exists()


def test_who_stays_behind_is_given_up() -> None:
    proposals = Proposals(PLAN.space(), PLAN.config(), 0)
    for number in range(PATIENCE):
        assert not proposals.propose().hopeless([0.0, 0.0])
        options = proposals.propose().options
        proposals.learn(Trial(number, options, "complete", 0.5, [0.1, 0.4, 0.5]))
    proposed = proposals.propose()
    assert not proposed.hopeless([0.0])  # the first figure says little
    assert proposed.hopeless([0.0, 0.0])
    assert not proposals.propose().hopeless([0.0, 0.6])


def test_proposals_depend_on_trials_alone() -> None:
    one, other = (Proposals(PLAN.space(), PLAN.config(), 3) for _ in range(2))
    for number in range(12):
        options = one.propose().options
        assert other.propose(other.propose().options).options == options
        assert all(value in PLAN.space()[name] for name, value in options.items())
        trial = Trial(number, options, "complete", number / 20, [number / 20])
        one.learn(trial)
        other.learn(trial)


def test_the_best_is_the_first_of_equals() -> None:
    trials = [
        Trial(0, {}, "failed"),
        Trial(1, {}, "complete", 0.3),
        Trial(2, {}, "complete", 0.3),
        Trial(3, {}, "pruned", 0.9),
    ]
    assert best_of(trials) == trials[1]
    assert best_of([]) is None
