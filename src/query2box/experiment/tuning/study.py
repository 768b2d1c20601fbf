"""`tune`: trial after trial, each with options that the earlier ones make likely to be good.

The journal holds every trial, and from it optuna's study is made again in memory: so
a killed tuning goes on with the trial that was under way, from its checkpoint, and
proposes what it would have proposed unbroken.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from query2box.bundle import CONFIG, fingerprint
from query2box.errors import ConfigError, RunError
from query2box.evaluation.evaluator import Report
from query2box.experiment.config import RunConfig
from query2box.experiment.journal import Journal
from query2box.experiment.locking import locked
from query2box.experiment.queries import evaluation_queries
from query2box.experiment.run import CHECKPOINT, Spectator, train
from query2box.experiment.spectators import Spectators
from query2box.experiment.tuning.plan import Plan
from query2box.experiment.tuning.proposals import Proposals, Proposed
from query2box.experiment.tuning.space import Value
from query2box.experiment.tuning.trials import State, Trial, best_of, write_options, write_table
from query2box.graph.datasets import locate
from query2box.graph.knowledge_graph import KnowledgeGraph
from query2box.training.trainer import Progress

JOURNAL = "trials.jsonl"
TABLE = "trials.csv"
BEST = "best.toml"


class TuningSpectator(Spectator):
    """Somebody who looks on at trials as well."""

    def waiting(self) -> None:
        """Another command is at work in the folder."""

    def trial_began(self, number: int, options: Mapping[str, Value]) -> None:
        """A trial starts or goes on."""

    def trial_ended(self, trial: Trial) -> None:
        """A trial is over."""


@dataclass
class Tuning:
    """What has been tried so far."""

    plan: Plan
    trials: list[Trial] = field(default_factory=list)
    interrupted: bool = False
    """Whether somebody asked to stop, or the time was over."""

    @property
    def best(self) -> Trial | None:
        """The best trial."""
        return best_of(self.trials)

    def best_options(self) -> dict[str, object]:
        """Those of the best trial, with what all have in common."""
        return {**self.plan.fixed(), **(self.best.options if self.best else {})}

    def to_json(self) -> dict[str, object]:
        """As `q2b tune --json` prints it."""
        best = self.best
        return {
            "best": None if best is None else asdict(best),
            "trials": [asdict(trial) for trial in self.trials],
            "interrupted": self.interrupted,
        }


def tune(
    data: str | Path,
    out: str | Path,
    plan: Plan,
    trials: int = 20,
    timeout: float = math.inf,
    spectator: TuningSpectator | None = None,
) -> Tuning:
    """Try options until so many trials are over, or so many minutes; goes on where it was.

    Each trial is a run in `out`; they are compared by their best H@3 on validation
    queries, and those that stay behind the median of the others are given up.
    """
    spectator = spectator or TuningSpectator()
    if not plan.config().validation.validations:
        raise ConfigError("trials are compared by validation: validations must be above 0")
    proposals = Proposals(plan.space(), plan.config(), plan.seed)
    data = locate(data)
    graph = KnowledgeGraph.load(data)
    evaluation_queries(graph, "valid", data, limit=1)  # refused now, not after a trial
    with locked(Path(out), spectator.waiting):
        end = time.monotonic() + 60 * timeout
        return _Study(Path(out), graph, data, plan, proposals, spectator).run(trials, end)


class _Study:
    """A tuning at work in its folder."""

    def __init__(
        self,
        out: Path,
        graph: KnowledgeGraph,
        data: str | Path,
        plan: Plan,
        proposals: Proposals,
        spectator: TuningSpectator,
    ) -> None:
        self.out = out
        self.graph = graph
        self.data = data
        self.plan = plan
        self.proposals = proposals
        self.spectator = spectator
        self.journal = Journal(out, JOURNAL)
        self.tuning = Tuning(plan)

    def run(self, trials: int, end: float) -> Tuning:
        """Go on until so many trials are over, or the time is."""
        self.journal.rewind(0)  # a killed command may have left half a line
        under_way = self._recall()
        while len(self.tuning.trials) < trials and time.monotonic() < end:
            trial = self._try(under_way, end)
            if trial is None:
                self.tuning.interrupted = True
                break
            under_way = None
            self.journal.write("end", **asdict(trial))
            self._remember(trial)
            (self._folder(trial.number) / CHECKPOINT).unlink(missing_ok=True)
            self.spectator.trial_ended(trial)
        self._write()
        return self.tuning

    def _recall(self) -> Mapping[str, Value] | None:
        """Take earlier trials from the journal; gives the options of one that is under way."""
        plan = {"graph": fingerprint(self.graph), **asdict(self.plan)}
        wanted = json.loads(json.dumps(plan))  # as the journal has it
        entries = self.journal.entries()
        if not entries:
            self.journal.write("tuning", **wanted)
            return None
        changed = [name for name, value in wanted.items() if entries[0].get(name) != value]
        if changed:
            raise RunError(f"{self.out}: this tuning began with another {', '.join(changed)}")
        under_way = None
        try:
            for entry in entries[1:]:
                if entry.pop("kind") == "begin":
                    under_way = dict(entry["options"])
                else:
                    under_way = None
                    self._remember(Trial(**entry))
        except (KeyError, TypeError, ValueError) as error:
            raise RunError(f"{self.journal.path}: the file is damaged ({error})") from error
        return under_way

    def _remember(self, trial: Trial) -> None:
        self.tuning.trials.append(trial)
        self.proposals.learn(trial)

    def _try(self, under_way: Mapping[str, Value] | None, end: float) -> Trial | None:
        """Train with the options under way or new ones; None if that was interrupted."""
        number = len(self.tuning.trials)
        folder = self._folder(number)
        proposed = self.proposals.propose(under_way)
        options = proposed.options
        if under_way is None:
            self.journal.write("begin", number=number, options=options)
        self.spectator.trial_began(number, options)
        judge = _Judge(proposed, folder, end)
        try:
            run = train(
                self.graph,
                folder,
                self.plan.model,
                self.plan.preset,
                settings=self.plan.options(options),
                resume=(folder / CONFIG).is_file(),
                queries=self.data,
                spectator=Spectators(judge, self.spectator),
            )
        except (ConfigError, RunError) as error:
            return Trial(number, options, "failed", None, judge.validations, str(error))
        if not run.finished and not judge.hopeless:
            return None
        state: State = "complete" if run.finished else "pruned"
        return Trial(number, options, state, run.best, judge.validations)

    def _folder(self, number: int) -> Path:
        return self.out / f"trial-{number:03}"

    def _write(self) -> None:
        """The table of all trials, and the options of the best."""
        write_table(self.out / TABLE, self.tuning.trials)
        best = self.tuning.best
        if best is not None:
            comment = f"H@3 {best.best:.4f} on validation queries, trial {best.number}"
            write_options(self.out / BEST, comment, self.tuning.best_options())


class _Judge(Spectator):
    """Gives a trial up that stays behind the others, and ends one whose time is over."""

    def __init__(self, proposed: Proposed, folder: Path, end: float) -> None:
        self.validations: list[float] = []
        self.hopeless = False
        self._proposed = proposed
        self._folder = folder
        self._end = end

    def begin(self, config: RunConfig, graph: KnowledgeGraph) -> None:  # noqa: ARG002
        """Learn what a run that goes on had reached."""
        for entry in Journal(self._folder).entries():
            if entry["kind"] == "validation":
                self._add(entry["average"]["hits@3"])

    def validated(self, progress: Progress, report: Report, best: bool) -> None:  # noqa: ARG002
        """Compare with earlier trials."""
        self._add(report.average.hits_3)

    def stopped(self) -> bool:
        """Whether to save and end now."""
        return self.hopeless or time.monotonic() >= self._end

    def _add(self, figure: float) -> None:
        self.validations.append(figure)
        self.hopeless = self._proposed.hopeless(self.validations)
