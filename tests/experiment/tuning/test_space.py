"""What is searched: ranges and lists as text, of options by name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from query2box.errors import ConfigError
from query2box.experiment.config import PRESETS, resolve
from query2box.experiment.tuning.plan import Plan
from query2box.experiment.tuning.space import SEARCH, Choice, Range, read_space
from query2box.model.config import SYSTEMS

CONFIG = resolve()
RATES = st.floats(1e-9, 1e9)
WIDTHS = st.integers(1, 65_536)


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("preset", PRESETS)
def test_the_table_fits_every_system(system: str, preset: str) -> None:
    space = read_space(resolve(system, preset), {})
    assert list(space) == list(SEARCH)
    assert isinstance(space["dim"].distribution().to_external_repr(64), int)


@given(RATES, RATES, st.booleans())
def test_ranges_of_numbers(one: float, other: float, log: bool) -> None:
    low, high = sorted((one, other))
    text = f"{low!r}:{high!r}{':log' if log else ''}"
    space = read_space(CONFIG, {}, {"learning_rate": text})
    assert space["learning_rate"] == Range(low, high, log)
    assert low in space["learning_rate"]
    assert high in space["learning_rate"]
    space["learning_rate"].distribution()


@given(WIDTHS, WIDTHS, st.booleans())
def test_ranges_of_whole_numbers(one: int, other: int, log: bool) -> None:
    low, high = sorted((one, other))
    space = read_space(CONFIG, {}, {"model.dim": f"{low}:{high}{':log' if log else ''}"})
    assert space["dim"] == Range(low, high, log)
    assert "model.dim" not in space


@given(st.lists(WIDTHS, min_size=1, max_size=6, unique=True))
def test_lists(values: list[int]) -> None:
    space = read_space(CONFIG, {}, {"hidden": ", ".join(map(str, values))})
    assert space["hidden"] == Choice(tuple(values))
    assert all(value in space["hidden"] for value in values)


@given(st.sampled_from([*SEARCH, "structures", "seed", "warmup", "nonsense"]), st.text(max_size=20))
def test_any_text_is_read_or_refused(name: str, text: str) -> None:
    try:
        space = read_space(CONFIG, {}, {name: text})
    except ConfigError:
        return
    space[name].distribution()


def test_what_is_fixed_is_not_searched() -> None:
    space = read_space(CONFIG, {"dim": 8, "training.weighting": "equal"}, {"temperature": "0:1"})
    assert list(space) == [n for n in SEARCH if n not in ("dim", "weighting")] + ["temperature"]


@pytest.mark.parametrize(
    ("search", "message"),
    [
        ({"dimm": "1:2"}, "unknown option 'dimm'; did you mean 'dim'"),
        ({"dim": "8:4"}, "dim: 8 must be at most 4"),
        ({"margin": "0:1:log"}, "margin: 0 must be above 0 and at most 1"),
        ({"dim": "1:2:ratio"}, "dim is searched as low:high, low:high:log or a list"),
        ({"dim": "1:2:log:log"}, "dim is searched as"),
        ({"dim": "1:"}, "dim is a whole number, not ''"),
        ({"dim": "0:8"}, "dim must be from 1"),
        ({"dim": ""}, "dim needs values to search"),
        ({"dim": "4,4"}, "dim needs values to search, each once"),
        ({"direction": "forward:both"}, "direction is searched as"),
        ({"structures": "1p"}, "structures is a list of its own"),
        ({"seed": "1:5"}, "seed is not searched"),
        ({"pool": "1:5"}, "pool cannot be both fixed and searched"),
    ],
)
def test_bad_searches(search: dict[str, str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        read_space(CONFIG, {"pool": 3}, search)


def test_options_of_a_trial() -> None:
    plan = Plan(minutes=2, seed=3, settings={"model.dim": "8"}, search={"gamma": "6,12"})
    config = plan.config({"gamma": 6.0})
    assert (config.minutes, config.seed, config.model.dim, config.model.gamma) == (2, 3, 8, 6)
    assert plan.fixed() == {"dim": 8}
    assert plan.space()["gamma"] == Choice((6.0, 12.0))
