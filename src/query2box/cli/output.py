"""How verbs speak: results on stdout, everything else on stderr."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from rich.console import Console

JSON_OPTION = typer.Option(False, "--json", help="Print one JSON document.")


def print_json(document: object) -> None:
    """Print one JSON document on stdout."""
    typer.echo(json.dumps(document, ensure_ascii=False))


def printable(text: str) -> str:
    """Text for a terminal: what would move its cursor or change its colours is spelt out."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


@cache
def stdout() -> Console:
    """The console for results; square brackets and colons in names mean nothing to it."""
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False)


@cache
def stderr() -> Console:
    """The console for progress and messages."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, markup=False, emoji=False)
