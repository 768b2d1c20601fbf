"""Which options are searched, and where."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from query2box.errors import ConfigError
from query2box.experiment.config import RunConfig

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution

Value: TypeAlias = bool | int | float | str | None

SEARCH: dict[str, str] = {
    "learning_rate": "2e-4:1e-2:log",
    "travel": "1:10:log",
    "num_negatives": "128:2048:log",
    "batch_size": "128:1024:log",
    "dim": "64:512:log",
    "gamma": "6:48:log",
    "alpha": "0.02:0.5:log",
    "weighting": "equal,answers",
    "direction": "forward,backward,both",
}
"""What `q2b tune` searches unless told otherwise: low:high, by ratio with `:log`, or a list."""


@dataclass(frozen=True)
class Range:
    """Every number, or every whole number, from low to high."""

    low: int | float
    high: int | float
    log: bool = False
    """Whether equal ratios are equally likely, not equal differences."""

    def __contains__(self, value: object) -> bool:
        return isinstance(value, int | float) and self.low <= value <= self.high

    def distribution(self) -> BaseDistribution:
        """As optuna says it."""
        from optuna.distributions import FloatDistribution, IntDistribution

        if isinstance(self.low, int) and isinstance(self.high, int):
            return IntDistribution(self.low, self.high, log=self.log)
        return FloatDistribution(self.low, self.high, log=self.log)


@dataclass(frozen=True)
class Choice:
    """One of a few values."""

    values: tuple[Value, ...]

    def __contains__(self, value: object) -> bool:
        return value in self.values

    def distribution(self) -> BaseDistribution:
        """As optuna says it."""
        from optuna.distributions import CategoricalDistribution

        return CategoricalDistribution(self.values)


Space: TypeAlias = dict[str, Range | Choice]


def read_space(
    config: RunConfig, fixed: Mapping[str, object], search: Mapping[str, str] | None = None
) -> Space:
    """The table above without what is fixed, with entries replaced or added by `search`."""
    settled = {short_name(key) for key in fixed}
    found = {
        name: _read(name, text, config) for name, text in SEARCH.items() if name not in settled
    }
    for key, text in (search or {}).items():
        found[short_name(key)] = _read(key, text, config)
        if short_name(key) in settled:
            raise ConfigError(f"{key} cannot be both fixed and searched")
    return found


def short_name(key: str) -> str:
    """An option's name without the part that it belongs to."""
    return key.rpartition(".")[2]


def _read(name: str, text: str, config: RunConfig) -> Range | Choice:
    if name in ("seed", "minutes", "threads", "device"):
        raise ConfigError(f"{name} is not searched: it says how runs are made, not what they learn")
    if ":" not in text:
        values = tuple(_value(name, part, config) for part in text.split(",") if part.strip())
        if len(set(values)) < max(1, len(values)):
            raise ConfigError(f"{name} needs values to search, each once, not {text!r}")
        return Choice(values)
    low_text, high_text, *rest = text.split(":")
    low, high = (_value(name, part, config) for part in (low_text, high_text))
    if rest not in ([], ["log"]) or not (_is_number(low) and _is_number(high)):
        raise ConfigError(f"{name} is searched as low:high, low:high:log or a list, not {text!r}")
    assert isinstance(low, int | float)  # noqa: S101
    assert isinstance(high, int | float)  # noqa: S101
    if low > high or (rest and low <= 0):
        needed = "above 0 and at most" if rest else "at most"
        raise ConfigError(f"{name}: {low_text} must be {needed} {high_text}")
    return Range(low, high, bool(rest))


def _value(name: str, text: str, config: RunConfig) -> Value:
    """A value as the option reads it; what is no option or no value is refused there."""
    value = config.with_settings({name: text.strip()}).flat()[short_name(name)]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise ConfigError(f"{name} is a list of its own and cannot be searched")


def _is_number(value: Value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
