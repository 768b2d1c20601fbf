"""`q2b train`."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from query2box.cli.output import JSON_OPTION, print_json
from query2box.errors import ConfigError

if TYPE_CHECKING:
    from types import FrameType

    from query2box.cli.watching import Onlooker


def train(
    data: str = typer.Argument(help="A dataset folder or a built-in name, e.g. countries."),
    out: Path = typer.Option(..., "--out", help="The run folder to write."),
    model: str = typer.Option("query2box", "--model", help="A system of the paper."),
    preset: str = typer.Option("fast", "--preset", help="fast: our recipe; paper: its text."),
    minutes: float | None = typer.Option(None, "--minutes", min=0.0, help="End in this time."),
    settings: list[str] = typer.Option([], "--set", help="An option as key=value; repeatable."),
    resume: bool = typer.Option(False, "--resume", help="Go on with a run that was stopped."),
    seed: int = typer.Option(0, "--seed", min=0, help="What randomness starts from."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Train a model and leave a run folder behind.

    Example: q2b train countries --out runs/countries --minutes 2
    """
    from query2box.cli.watching import onlooker
    from query2box.experiment.run import train as train_model

    watching = onlooker()
    with watching, _stopping(watching):
        run = train_model(
            data,
            out,
            model,
            preset,
            minutes,
            seed,
            dict(map(_setting, settings)),
            resume,
            spectator=watching,
        )
    if not run.finished:
        watching.say(f"stopped; q2b train {data} --out {out} --resume goes on")
    if as_json:
        print_json({"run": str(out), "finished": run.finished, "best": watching.best})


def _setting(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not (key and equals):
        raise ConfigError(f"--set takes key=value, not {text!r}")
    return key.strip(), value.strip()


@contextmanager
def _stopping(onlooker: Onlooker) -> Iterator[None]:
    """Let the first SIGINT or SIGTERM end the run after a checkpoint, and a second one at once."""

    def ask(number: int, _frame: FrameType | None) -> None:
        if onlooker.asked_to_stop:
            raise KeyboardInterrupt
        onlooker.asked_to_stop = True
        onlooker.say(f"{signal.Signals(number).name}: saving, then stopping")

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
