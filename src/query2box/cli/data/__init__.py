"""`q2b data`: graphs and query files."""

from __future__ import annotations

import typer

app = typer.Typer(
    help="Bring graphs in, look at them, make and answer query files.", no_args_is_help=True
)
