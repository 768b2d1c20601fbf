"""`q2b update`: a trained model takes up new edges, without training anew."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from query2box.cli.output import JSON_OPTION, print_json, printable, stdout
from query2box.cli.reading import (
    COLUMNS_OPTION,
    FORMAT_OPTION,
    HEADER_OPTION,
    SKIP_OPTION,
    how_to_read,
)

if TYPE_CHECKING:
    from query2box.experiment.updating import Update
    from query2box.graph.readers.reading import Reading


def update(
    run: Path = typer.Argument(help="A run folder."),
    *,
    add: list[Path] = typer.Option(
        ..., "--add", metavar="FILE", help="New edges, in any format of `q2b data import`."
    ),
    out: Path = typer.Option(..., "--out", help="The run folder to write."),
    minutes: float | None = typer.Option(None, "--minutes", help="Fine-tune for this time."),
    steps: int | None = typer.Option(
        None, "--steps", help="Fine-tune for so many steps; else a tenth of the run's."
    ),
    seed: int = typer.Option(0, "--seed", min=0, help="What randomness starts from."),
    file_format: str | None = FORMAT_OPTION,
    header: bool | None = HEADER_OPTION,
    columns: str | None = COLUMNS_OPTION,
    skip_bad_lines: bool = SKIP_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Add new edges, entities and relations to a trained model's graph, and fine-tune it.

    What was there keeps its ids and begins where it was; the run itself stays as it is.

    Example: q2b update runs/people --add new.tsv --out runs/people-2
    """
    from query2box.cli.watching import onlooker
    from query2box.library import update as update_run

    reading = how_to_read(file_format, header, columns, skip_bad_lines)
    with onlooker() as watching:
        done = update_run(run, add, out, minutes, steps, seed, reading, watching)
    if as_json:
        beside = {"bad_lines": reading.bad_lines, "literals": reading.literals}
        print_json({"run": str(out), **done.to_json(), **beside})
    else:
        _show(done, reading, out)


def _show(done: Update, reading: Reading, out: Path) -> None:
    from query2box.cli.tables import change_table

    say = stdout().print
    sizes = ((name, *getattr(done, name)) for name in ("entities", "relations", "edges"))
    grown = (f"{after:,} {name} ({after - before:,} new)" for name, before, after in sizes)
    say(f"{printable(str(out))}: {', '.join(grown)}", soft_wrap=True)
    for count, what in (
        (done.duplicates, "edges that were known already"),
        (reading.bad_lines, "bad lines skipped"),
        (reading.literals, "literals left out"),
    ):
        if count:
            say(f"{count:,} {what}")
    say(f"{done.steps:,} steps in {done.seconds:,.1f} s")
    say(
        change_table(
            {
                "validation questions, before": done.old.before,
                "validation questions, after": done.old.after,
                "new edges with known names, before": done.new.before,
                "new edges with known names, after": done.new.after,
                "all new edges, after": done.all_new,
            }
        )
    )
