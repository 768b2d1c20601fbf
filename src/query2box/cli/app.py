"""The table of verbs."""

from __future__ import annotations

import typer

from query2box.cli import data
from query2box.cli.answer import answer
from query2box.cli.ask import ask
from query2box.cli.bench import bench
from query2box.cli.demo import demo
from query2box.cli.evaluate import evaluate
from query2box.cli.experiment import experiment
from query2box.cli.explain import explain
from query2box.cli.index import index
from query2box.cli.report import report
from query2box.cli.serve import serve
from query2box.cli.train import train
from query2box.cli.tune import tune
from query2box.cli.update import update

app = typer.Typer(
    name="q2b",
    help="Ask logical questions of incomplete knowledge graphs.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)


def _version(wanted: bool) -> None:
    if wanted:
        from query2box import __version__

        typer.echo(f"q2b {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: bool = typer.Option(
        False, "--version", help="Print the version.", callback=_version, is_eager=True
    ),
) -> None:
    """Ask logical questions of incomplete knowledge graphs."""


app.add_typer(data.app, name="data")
app.command()(train)
app.command()(update)
app.command()(evaluate)
app.command()(ask)
app.command()(explain)
app.command()(answer)
app.command()(index)
app.command()(serve)
app.command()(experiment)
app.command()(report)
app.command()(tune)
app.command()(bench)
app.command()(demo)
