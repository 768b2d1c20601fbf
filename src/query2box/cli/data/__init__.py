"""`q2b data`: graphs and query files."""

from __future__ import annotations

import typer

from query2box.cli.data.answer import answer
from query2box.cli.data.import_ import import_
from query2box.cli.data.list import list_datasets
from query2box.cli.data.sample import sample
from query2box.cli.data.stats import stats

app = typer.Typer(
    help="Bring graphs in, look at them, make and answer query files.", no_args_is_help=True
)
app.command("list")(list_datasets)
app.command("import")(import_)
app.command("stats")(stats)
app.command("sample")(sample)
app.command("answer")(answer)
