"""`q2b tune`."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from query2box.cli.output import JSON_OPTION, print_json, stdout
from query2box.cli.settings import SET_OPTION, key_and_value, read_settings
from query2box.cli.stopping import stopping

if TYPE_CHECKING:
    from query2box.experiment.tuning.plan import Plan
    from query2box.experiment.tuning.study import Tuning


def tune(
    data: str = typer.Argument(help="A dataset's folder or name, e.g. countries."),
    out: Path = typer.Option(..., "--out", help="The folder to write."),
    trials: int = typer.Option(20, "--trials", min=1, help="How many, earlier ones included."),
    minutes: float = typer.Option(2.0, "--minutes-per-trial", help="How long each trains."),
    timeout: float | None = typer.Option(None, "--timeout", min=0, help="Stop in these minutes."),
    model: str = typer.Option("query2box", "--model", help="A system of the paper."),
    preset: str = typer.Option("fast", "--preset", help="What is not searched: fast or paper."),
    settings: list[str] = SET_OPTION,
    search: list[str] = typer.Option(
        [], "--search", help="key=low:high, key=low:high:log or key=a,b,c; repeatable."
    ),
    seed: int = typer.Option(0, "--seed", help="What randomness starts from."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Search for options that do well on validation questions; the same command goes on.

    Example: q2b tune countries --out runs/tuning --trials 10 --search dim=64:256:log
    """
    import math

    from query2box.cli.watching_trials import tuning_onlooker
    from query2box.experiment.tuning.plan import Plan
    from query2box.experiment.tuning.study import tune as tune_options

    ranges = dict(key_and_value("--search", text) for text in search)
    plan = Plan(model, preset, minutes, seed, read_settings(settings), ranges)
    watching = tuning_onlooker()
    with watching, stopping(watching):
        limit = math.inf if timeout is None else timeout
        found = tune_options(data, out, plan, trials, limit, watching)
    command = _command(data, plan, found)
    if as_json:
        print_json({"out": str(out), "command": command, **found.to_json()})
    elif command is not None:
        stdout().print(command, soft_wrap=True)
    if watching.asked_to_stop and found.interrupted:
        watching.say("stopped; the same command goes on")
        raise typer.Exit(130)


def _command(data: str, plan: Plan, tuning: Tuning) -> str | None:
    """How to train with the best options."""
    if tuning.best is None:
        return None
    words = ["q2b", "train", data, "--out", "RUN", "--model", plan.model, "--preset", plan.preset]
    for name, value in tuning.best_options().items():
        text = ",".join(value) if isinstance(value, tuple) else value
        words += ["--set", f"{name}={text}"]
    return shlex.join(words)
