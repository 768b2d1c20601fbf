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


@cache
def stdout() -> Console:
    """The console for results."""
    from rich.console import Console

    return Console(highlight=False)


@cache
def stderr() -> Console:
    """The console for progress and messages."""
    from rich.console import Console

    return Console(stderr=True, highlight=False)
