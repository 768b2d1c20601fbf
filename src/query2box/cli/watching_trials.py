"""Looking on while options are tuned: each trial as any run, and a line for what it gave."""

from __future__ import annotations

from collections.abc import Mapping

from query2box.cli.output import stderr
from query2box.cli.watching import LiveOnlooker, Onlooker
from query2box.experiment.tuning.space import Value
from query2box.experiment.tuning.study import TuningSpectator
from query2box.experiment.tuning.trials import Trial


class TuningOnlooker(Onlooker, TuningSpectator):
    """Says in plain lines how trials go."""

    def waiting(self) -> None:
        """Another command is at work in the folder."""
        self.say("waiting for another command that is at work in this folder")

    def trial_began(self, number: int, options: Mapping[str, Value]) -> None:
        """The options that are tried."""
        self.best = None
        self._told = -self.every
        self.say(f"trial {number}: {', '.join(f'{k} {_short(v)}' for k, v in options.items())}")

    def trial_ended(self, trial: Trial) -> None:
        """What they gave."""
        outcome = {
            "complete": f"H@3 {trial.best or 0:.3f}",
            "pruned": f"given up at H@3 {trial.best or 0:.3f}, behind the others",
            "failed": f"failed: {trial.reason}",
        }
        self.say(f"trial {trial.number}: {outcome[trial.state]}")


class LiveTuningOnlooker(LiveOnlooker, TuningOnlooker):
    """A bar for the trial that is under way."""


def tuning_onlooker() -> TuningOnlooker:
    """Live where somebody looks on, plain where a file does."""
    return LiveTuningOnlooker() if stderr().is_terminal else TuningOnlooker()


def _short(value: Value) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
