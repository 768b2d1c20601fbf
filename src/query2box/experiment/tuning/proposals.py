"""Which options to try next, and which trials to give up: optuna's part, in memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from query2box.errors import ConfigError
from query2box.experiment.config import RunConfig
from query2box.experiment.tuning.space import Space, Value
from query2box.experiment.tuning.trials import Trial

if TYPE_CHECKING:
    import optuna

PATIENCE = 5
"""Trials that run to their end before any is given up."""


class Proposed:
    """Options to try."""

    def __init__(self, trial: optuna.Trial) -> None:
        self._trial = trial
        self.options: dict[str, Value] = dict(trial.params)

    def hopeless(self, validations: list[float]) -> bool:
        """Whether a trial with these figures so far stays behind the median of the others."""
        self._trial.report(validations[-1], len(validations))
        return bool(self._trial.should_prune())


class Proposals:
    """Learns from trials what to try next; the same trials lead to the same proposals."""

    def __init__(self, space: Space, config: RunConfig, seed: int) -> None:
        try:
            import optuna
        except ImportError as error:
            raise ConfigError("tuning needs an extra: pip install 'query2box[tune]'") from error

        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self._space = space
        self._config = config
        self._seed = seed
        self._distributions = {name: part.distribution() for name, part in space.items()}
        self._learnt: list[optuna.trial.FrozenTrial] = []

    def learn(self, trial: Trial) -> None:
        """Take the outcome of a trial into account."""
        from optuna.trial import TrialState, create_trial

        states = {
            "complete": TrialState.COMPLETE,
            "pruned": TrialState.PRUNED,
            "failed": TrialState.FAIL,
        }
        self._learnt.append(
            create_trial(
                state=states[trial.state],
                value=trial.best if trial.state == "complete" else None,
                params=dict(trial.options),
                distributions=self._distributions,
                intermediate_values=dict(enumerate(trial.validations, 1)),
            )
        )

    def propose(self, under_way: Mapping[str, Value] | None = None) -> Proposed:
        """New options, the first being the recipe's own; or those of a trial under way."""
        from optuna import create_study
        from optuna.pruners import MedianPruner
        from optuna.samplers import TPESampler

        number = len(self._learnt)
        # Made anew, so that nothing but the trials decides.
        study = create_study(
            direction="maximize",
            sampler=TPESampler(seed=(self._seed + 7919 * number) % 2**32),
            pruner=MedianPruner(n_startup_trials=PATIENCE, n_warmup_steps=2),
        )
        study.add_trials(self._learnt)
        if under_way is not None or number == 0:
            study.enqueue_trial(dict(self._recipe() if under_way is None else under_way))
        return Proposed(study.ask(self._distributions))

    def _recipe(self) -> dict[str, object]:
        """The values that options have anyway, where they are among those searched."""
        now = self._config.flat()
        return {name: now[name] for name, part in self._space.items() if now[name] in part}
