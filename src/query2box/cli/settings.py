"""Options of training on the command line."""

from __future__ import annotations

from collections.abc import Iterable

import typer

from query2box.errors import ConfigError

SET_OPTION = typer.Option([], "--set", help="An option as key=value; repeatable.")


def read_settings(texts: Iterable[str]) -> dict[str, str]:
    """The options of `--set key=value`; the last of a name counts."""
    return dict(key_and_value("--set", text) for text in texts)


def key_and_value(option: str, text: str) -> tuple[str, str]:
    """The two sides of the first equals sign."""
    key, equals, value = text.partition("=")
    if not (key and equals):
        raise ConfigError(f"{option} takes key=value, not {text!r}")
    return key.strip(), value.strip()
