"""`q2b train`."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from query2box.cli.output import JSON_OPTION, print_json
from query2box.cli.settings import SET_OPTION, read_settings
from query2box.cli.stopping import stopping

if TYPE_CHECKING:
    from query2box.cli.watching import Onlooker
    from query2box.experiment.run import Run, Spectator


def train(
    data: str = typer.Argument(help="A dataset's folder or name, e.g. countries."),
    out: Path = typer.Option(..., "--out", help="The run folder to write."),
    model: str | None = typer.Option(
        None, "--model", help="A system of the paper; query2box by default."
    ),
    preset: str | None = typer.Option(
        None, "--preset", help="fast: our recipe, the default; paper: its text."
    ),
    minutes: float | None = typer.Option(None, "--minutes", help="End in this time."),
    settings: list[str] = SET_OPTION,
    resume: bool = typer.Option(False, "--resume", help="Go on with a run that was stopped."),
    seed: int | None = typer.Option(None, "--seed", help="What randomness starts from; 0."),
    tensorboard: Path | None = typer.Option(
        None, "--tensorboard", help="Log to this folder for TensorBoard as well."
    ),
    as_json: bool = JSON_OPTION,
) -> None:
    """Train a model and leave a run folder behind.

    Example: q2b train countries --out runs/countries --minutes 2
    """
    options = read_settings(settings)
    run = watched_training(data, out, model, preset, minutes, seed, options, resume, tensorboard)
    if as_json:
        best = run.best if math.isfinite(run.best) else None
        print_json({"run": str(out), "finished": run.finished, "best": best})


def watched_training(
    data: str,
    out: Path,
    model: str | None = None,
    preset: str | None = None,
    minutes: float | None = None,
    seed: int | None = None,
    settings: Mapping[str, object] | None = None,
    resume: bool = False,
    tensorboard: Path | None = None,
) -> Run:
    """Train while the terminal looks on and signals are heeded."""
    from query2box.cli.watching import onlooker
    from query2box.experiment.spectators import Spectators
    from query2box.library import train as train_model

    watching = onlooker()
    with _logging(tensorboard) as others, watching, stopping(watching):
        spectator = Spectators(watching, *others)
        run = train_model(
            data, out, model, preset, minutes, seed, settings, resume, spectator=spectator
        )
    if run.finished:
        _tell_reliability(run, watching)
    else:
        again = shlex.join(("q2b", "train", data, "--out", str(out), "--resume"))
        watching.say(f"stopped; {again} goes on")
    return run


def _tell_reliability(run: Run, onlooker: Onlooker) -> None:
    from query2box.answering.calibration import Calibration

    calibration = Calibration.load(run.path)
    if calibration is None:
        onlooker.say("no validation queries: the probabilities of answers are not calibrated")
    else:
        error = calibration.report["ece"]
        onlooker.say(f"probabilities: expected calibration error {error:.3f}")


@contextmanager
def _logging(folder: Path | None) -> Iterator[list[Spectator]]:
    """Who looks on besides the terminal."""
    if folder is None:
        yield []
        return
    from query2box.experiment.tensorboard import TensorBoard

    with TensorBoard(folder) as log:
        yield [log]
