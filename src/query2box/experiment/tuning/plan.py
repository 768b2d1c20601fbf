"""What a tuning depends on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from query2box.experiment.config import RunConfig, resolve
from query2box.experiment.tuning.space import Space, Value, read_space, short_name


@dataclass(frozen=True)
class Plan:
    """What a tuning depends on; only the number of trials may change later."""

    model: str = "query2box"
    preset: str = "fast"
    minutes: float | None = None
    seed: int = 0
    settings: Mapping[str, object] = field(default_factory=dict)
    search: Mapping[str, str] = field(default_factory=dict)

    def config(self, options: Mapping[str, Value] | None = None) -> RunConfig:
        """The config of a trial."""
        return resolve(self.model, self.preset, self.options(options or {}))

    def options(self, options: Mapping[str, Value]) -> dict[str, object]:
        """The options of a trial, for `train`."""
        own = {"seed": self.seed} | ({} if self.minutes is None else {"minutes": self.minutes})
        return {**own, **self.settings, **options}

    def space(self) -> Space:
        """Which options are searched, and where."""
        return read_space(self.config(), self.settings, self.search)

    def fixed(self) -> dict[str, object]:
        """The options that are the same in every trial, as the config reads them."""
        options = self.config().flat()
        return {name: options[name] for name in map(short_name, self.settings)}
