"""Options by name: dataclass fields set from text, unknown names refused with the nearest."""

from __future__ import annotations

import math
import types
from collections.abc import Mapping
from dataclasses import Field, fields, replace
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from query2box.errors import ConfigError
from query2box.graph.vocabulary import nearest

T = TypeVar("T")


def option_names(config: object) -> tuple[str, ...]:
    """The fields of a dataclass, in order."""
    return tuple(field.name for field in _fields(config))


def with_options(config: T, options: Mapping[str, object]) -> T:
    """The config with these fields replaced; text is read as the field's type."""
    hints = get_type_hints(type(config))
    for name in options:
        if name not in hints:
            raise unknown_option(name, option_names(config))
    values = {name: _read(name, value, hints[name]) for name, value in options.items()}
    return replace(config, **values)  # type: ignore[type-var]


def unknown_option(name: str, known: tuple[str, ...]) -> ConfigError:
    """What to say of an option that there is not."""
    near = nearest(name, known, 1)
    hint = f"; did you mean {near[0]!r}?" if near else f"; there are {', '.join(known)}"
    return ConfigError(f"unknown option {name!r}{hint}")


def _fields(config: object) -> tuple[Field[Any], ...]:
    return fields(config)  # type: ignore[arg-type]


def _read(name: str, value: object, kind: Any) -> object:
    """A value of the field's type, from text or from JSON and TOML values."""
    origin = get_origin(kind)
    if origin is Literal:
        if value in get_args(kind):
            return value
        raise ConfigError(f"{name} is one of {', '.join(map(str, get_args(kind)))}, not {value!r}")
    if origin in (Union, types.UnionType):
        if value is None or value == "none":
            return None
        return _read(name, value, next(a for a in get_args(kind) if a is not type(None)))
    if origin is tuple:
        parts = _split(value) if isinstance(value, str) else value
        if isinstance(parts, list | tuple):
            return tuple(_read(name, part, get_args(kind)[0]) for part in parts)
        raise ConfigError(f"{name} is a list, not {value!r}")
    return _plain(name, value, kind)


def _plain(name: str, value: object, kind: type[bool | int | float | str]) -> object:
    if kind is bool:
        found = {"true": True, "false": False}.get(str(value).lower())
        if found is not None:
            return found
    elif kind is str:
        if isinstance(value, str):
            return value
    elif not isinstance(value, bool):
        number = _number(str(value), kind)
        if number is not None:
            return number
    wanted = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}[kind]
    raise ConfigError(f"{name} is {wanted}, not {value!r}")


def _number(text: str, kind: type) -> float | int | None:
    """The finite number that a text says; whole ones may be written as 1e4."""
    for read in (int, float):
        try:
            number = read(text)
        except ValueError:
            continue
        if math.isfinite(number) and (kind is float or number == int(number)):
            return kind(number)  # type: ignore[no-any-return]
    return None


def _split(text: str) -> list[str]:
    """Cut at commas outside parentheses: shapes such as i(p(e),p(e)) have their own."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]
