"""Options by name: whatever text or JSON says, or a clear refusal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from query2box.errors import ConfigError
from query2box.experiment.options import option_names, with_options


@dataclass(frozen=True)
class Example:
    whole: int = 1
    number: float = 1.0
    flag: bool = False
    text: str = "text"
    choice: Literal["one", "two"] = "one"
    maybe: float | None = None
    several: tuple[str, ...] = ()


@pytest.mark.parametrize(
    ("name", "value", "wanted"),
    [
        ("whole", "7", 7),
        ("whole", "1e4", 10_000),
        ("whole", 10_000.0, 10_000),
        ("whole", "9007199254740993", 9007199254740993),
        ("whole", "-3", -3),
        ("number", "0.5", 0.5),
        ("number", 2, 2.0),
        ("number", "1e-4", 1e-4),
        ("flag", "true", True),
        ("flag", "False", False),
        ("flag", True, True),
        ("text", "5", "5"),
        ("choice", "two", "two"),
        ("maybe", "none", None),
        ("maybe", None, None),
        ("maybe", "3", 3.0),
        ("several", "1p", ("1p",)),
        ("several", "1p, 2i", ("1p", "2i")),
        ("several", "i(p(e),p(e)),1p", ("i(p(e),p(e))", "1p")),
        ("several", ["1p", "2p"], ("1p", "2p")),
        ("several", "", ()),
    ],
)
def test_values(name: str, value: object, wanted: object) -> None:
    found = getattr(with_options(Example(), {name: value}), name)
    assert found == wanted
    assert type(found) is type(wanted)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("whole", "1.5"),
        ("whole", "many"),
        ("whole", ""),
        ("whole", "inf"),
        ("whole", True),
        ("whole", None),
        ("number", "nan"),
        ("number", "inf"),
        ("number", float("nan")),
        ("number", "much"),
        ("number", [1]),
        ("flag", "perhaps"),
        ("flag", 1),
        ("text", 5),
        ("choice", "three"),
        ("choice", ["one"]),
        ("maybe", "nan"),
        ("several", 5),
        ("several", [5]),
    ],
)
def test_what_is_no_value(name: str, value: object) -> None:
    with pytest.raises(ConfigError, match=f"^{name} is "):
        with_options(Example(), {name: value})


@given(st.integers())
def test_whole_numbers_stay_exact(number: int) -> None:
    assert with_options(Example(), {"whole": str(number)}).whole == number


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_stay_exact(number: float) -> None:
    assert with_options(Example(), {"number": repr(number)}).number == number


def test_an_unknown_name_suggests_the_nearest() -> None:
    with pytest.raises(ConfigError, match="unknown option 'numbr'; did you mean 'number'"):
        with_options(Example(), {"numbr": 1})


def test_names_stand_in_order() -> None:
    assert option_names(Example())[:2] == ("whole", "number")
