from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from query2box.errors import ConfigError
from query2box.experiment.config import PRESETS, RunConfig, resolve
from query2box.model.config import SYSTEMS


@given(
    st.sampled_from(list(SYSTEMS)),
    st.sampled_from(list(PRESETS)),
    st.fixed_dictionaries(
        {},
        optional={
            "dim": st.integers(1, 900),
            "learning_rate": st.floats(1e-9, 1),
            "structures": st.sampled_from(["1p", "2i,up", "i(p(e),p(e),p(p(e)))"]),
            "filter_negatives": st.booleans(),
            "validations": st.integers(0, 9),
            "minutes": st.none() | st.floats(0.1, 99),
            "seed": st.integers(0, 2**63 - 1),
            "threads": st.integers(0, 4),
        },
    ),
)
def test_json_and_back(system: str, preset: str, settings: dict[str, object]) -> None:
    config = resolve(system, preset, settings)
    assert RunConfig.from_json(json.loads(json.dumps(config.to_json()))) == config


def test_settings_reach_their_part() -> None:
    config = resolve(settings={"dim": "7", "training.batch_size": "3", "validations": 0, "seed": 5})
    assert config.model.dim == 7
    assert config.training.batch_size == 3
    assert config.validation.validations == 0
    assert config.seed == 5


def test_settings_of_nothing_change_nothing() -> None:
    assert resolve("gqe", "paper").with_settings({}) == resolve("gqe", "paper")


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_system_sets_its_model_and_its_structures(system: str) -> None:
    config = resolve(system)
    base = resolve("query2box")
    assert config.model == SYSTEMS[system].model(base.model)
    assert tuple(config.training.sizes) == SYSTEMS[system].structures
    assert set(config.training.structures) <= set(base.training.structures)


def test_the_papers_hyperparameters() -> None:
    config = resolve(preset="paper")
    assert (config.model.dim, config.model.gamma, config.model.alpha) == (400, 24.0, 0.2)
    assert config.model.operator_input == "box"
    training = config.training
    assert (training.batch_size, training.num_negatives, training.learning_rate) == (512, 128, 1e-4)
    assert (training.softmax, training.margin, training.temperature) == (0.0, 1.0, 0.0)
    assert training.direction == "backward"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"dimm": 1}, "did you mean 'dim'"),
        ({"learning-rate": 1}, "did you mean 'learning_rate'"),
        ({"model.batch_size": 1}, "unknown option 'model.batch_size'"),
        ({"training.dim": 1}, "unknown option"),
        ({"system": "gqe"}, "unknown option 'system'"),
        ({"model": {}}, "unknown option 'model'"),
        ({"": 1}, "unknown option ''"),
        ({"dim": "wide"}, "dim is a whole number, not 'wide'"),
        ({"dim": 0}, "dim must be"),
        ({"center": "middle"}, "center is one of attention, average, deepsets"),
        ({"structures": "2q"}, "'2q' is no query structure"),
        ({"minutes": 0}, "minutes must be above 0"),
        ({"minutes": -1}, "minutes must be above 0"),
        ({"minutes": "nan"}, "minutes is a number"),
        ({"seed": -1}, "seed must be"),
        ({"seed": 2**63}, "seed must be"),
        ({"threads": -1}, "threads must not be negative"),
        ({"validations": -1}, "validations must not be negative"),
        ({"checkpoint_seconds": -1}, "checkpoint_seconds must not be negative"),
        ({"learning_rate": "nan"}, "learning_rate is a number"),
    ],
    ids=str,
)
def test_bad_settings(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        resolve(settings=settings)


def test_unknown_systems_and_presets() -> None:
    with pytest.raises(ConfigError, match="no model 'transformer'; there are query2box, "):
        resolve("transformer")
    with pytest.raises(ConfigError, match="no preset 'slow'; there are fast, paper"):
        resolve(preset="slow")


@pytest.mark.parametrize(
    "document",
    [{"model": 3}, {"training": []}, {"validation": "x"}, {"extra": 1}, {"model": {"dimm": 1}}],
    ids=str,
)
def test_documents_that_are_none(document: dict[str, object]) -> None:
    with pytest.raises(ConfigError):
        RunConfig.from_json(document)
