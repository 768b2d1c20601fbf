"""The options of verbs that read files of edges."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from query2box.graph.readers.reading import Reading

FORMAT_OPTION = typer.Option(
    None,
    "--format",
    metavar="FORMAT",
    help="tsv, csv, ntriples, turtle or parquet; else the file's name tells.",
)
HEADER_OPTION = typer.Option(
    None,
    "--header/--no-header",
    help="Whether the first line of a table names its columns; else that is guessed.",
)
COLUMNS_OPTION = typer.Option(
    None,
    "--columns",
    metavar="HEAD,RELATION,TAIL",
    help="The columns of a table, by name or by number.",
)
SKIP_OPTION = typer.Option(
    False, "--skip-bad-lines", help="Count lines that cannot be read and go on."
)


def how_to_read(
    file_format: str | None, header: bool | None, columns: str | None, skip_bad_lines: bool
) -> Reading:
    """What the options say, for the readers."""
    from query2box.graph.readers.reading import Reading

    return Reading(file_format, header, _three(columns), skip_bad_lines)


def _three(columns: str | None) -> tuple[str, str, str] | None:
    from query2box.errors import ConfigError

    if columns is None:
        return None
    names = [column.strip() for column in columns.split(",")]
    if len(names) != 3 or not all(names):
        raise ConfigError(f"--columns takes three, as in head,relation,tail; not {columns!r}")
    return names[0], names[1], names[2]
