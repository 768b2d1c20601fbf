"""Everything a run depends on, in one value."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from query2box.errors import ConfigError
from query2box.experiment.options import option_names, unknown_option, with_options
from query2box.model.config import SYSTEMS, ModelConfig
from query2box.training.config import TrainingConfig, split_share


@dataclass(frozen=True)
class ValidationConfig:
    """How a run is judged while it goes on, and how often it is saved."""

    validations: int = 10
    """How often, evenly over the run; the best model on validation is kept."""
    validation_queries: int = 500
    """Queries of each structure; 0 means all."""
    checkpoint_seconds: float = 120.0
    """At most this much work is lost with a killed process."""

    def __post_init__(self) -> None:
        for name in ("validations", "validation_queries", "checkpoint_seconds"):
            if not getattr(self, name) >= 0:
                raise ConfigError(f"{name} must not be negative")


@dataclass(frozen=True)
class RunConfig:
    """The resolved config of a run; it is saved with it."""

    system: str = "query2box"
    preset: str = "fast"
    seed: int = 0
    minutes: float | None = None
    """The run ends in this time, with the learning rate shaped to it."""
    threads: int = 0
    """Cores to use; 0 means all."""
    device: str = "cpu"
    """Where torch computes; on others than the CPU the kernels' torch twins run."""
    model: ModelConfig = field(default_factory=ModelConfig)
    training: TrainingConfig = field(default_factory=TrainingConfig)
    validation: ValidationConfig = field(default_factory=ValidationConfig)

    def __post_init__(self) -> None:
        if not 0 <= self.seed < 2**63:
            raise ConfigError("seed must be at least 0 and below 2^63")
        if self.threads < 0:
            raise ConfigError("threads must not be negative")
        if self.minutes is not None and not 0 < self.minutes < math.inf:
            raise ConfigError("minutes must be above 0")

    def to_json(self) -> dict[str, Any]:
        """As nested dictionaries."""
        return asdict(self)

    def flat(self) -> dict[str, object]:
        """Every option by its name, whichever part it belongs to."""
        own = {name: getattr(self, name) for name in option_names(self)}
        parts = _parts(self)
        return {name: value for name, value in own.items() if name not in parts} | {
            name: getattr(part, name) for part in parts.values() for name in option_names(part)
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> RunConfig:
        """The config that `to_json` gave; unknown names are refused."""
        flat = dict(document)
        parts = {name: flat.pop(name, {}) for name in _parts(cls())}
        if not all(isinstance(part, Mapping) for part in parts.values()):
            raise ConfigError(f"{', '.join(parts)} are tables of options")
        options = {name: with_options(getattr(cls(), name), parts[name]) for name in parts}
        return replace(with_options(cls(), flat), **options)

    def with_settings(self, settings: Mapping[str, object]) -> RunConfig:
        """The config with options replaced by their names, whichever part they belong to."""
        parts = _parts(self)
        chosen: dict[str, dict[str, object]] = {name: {} for name in parts}
        own: dict[str, object] = {}
        names = {n: part for part, config in parts.items() for n in option_names(config)}
        for key, value in settings.items():
            name = key.rpartition(".")[2]
            if name in names and key in (name, f"{names[name]}.{name}"):
                chosen[names[name]][name] = value
            elif name in ("seed", "minutes", "threads", "device") and key == name:
                own[name] = value
            else:
                raise unknown_option(key, (*names, "seed", "minutes", "threads", "device"))
        changed = {name: with_options(parts[name], options) for name, options in chosen.items()}
        return replace(with_options(self, own), **changed)


PRESETS: dict[str, tuple[ModelConfig, TrainingConfig]] = {
    # This project's own recipe: docs/recipe.md says what was tried.
    "fast": (
        ModelConfig(heads=2, operator_input="part", reach=0.0075, stretch=True, hidden=200),
        TrainingConfig(),
    ),
    # The paper's text with its hyper-parameters (appendix G).
    "paper": (
        ModelConfig(),
        TrainingConfig(
            steps=300_000,
            batch_size=512,
            structures=("1p", "2p", "3p", "2i", "3i"),
            positives=1,
            num_negatives=128,
            near=0.0,
            anchors=0.0,
            softmax=0.0,
            margin=1.0,
            learning_rate=1e-4,
            travel=0.0,
            warmup=0.0,
            floor=1.0,
            direction="backward",
            starts="entities",
            pool=150_000,
            reuse=250,
            open=0.0,
            evenness=0.0,
            relation=0.0,
            least=0.0,
        ),
    ),
}


def resolve(
    system: str = "query2box", preset: str = "fast", settings: Mapping[str, object] | None = None
) -> RunConfig:
    """The config of a named system under a preset, with single options replaced."""
    for name, table in ((system, SYSTEMS), (preset, PRESETS)):
        if name not in table:
            kind = "model" if table is SYSTEMS else "preset"
            raise ConfigError(f"no {kind} {name!r}; there are {', '.join(table)}")
    model, training = PRESETS[preset]
    own = SYSTEMS[system].structures
    structures = tuple(one for one in training.structures if split_share(one)[0] in own)
    config = RunConfig(
        system,
        preset,
        model=SYSTEMS[system].model(model),
        training=replace(training, structures=structures),
    )
    return config.with_settings(settings or {})


def _parts(config: RunConfig) -> dict[str, Any]:
    return {name: getattr(config, name) for name in ("model", "training", "validation")}
