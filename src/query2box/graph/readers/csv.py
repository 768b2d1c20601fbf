"""Comma-separated values, quoted where needed, with or without a header."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from query2box.graph.readers.lines import numbered_lines
from query2box.graph.readers.reading import Batch, Reading, batched
from query2box.graph.readers.table import edges_of, layout_of


def read_csv(path: Path, reading: Reading) -> Iterator[Batch]:
    """The edges of a comma-separated file."""
    rows = _rows(path, reading)
    first = next(rows, None)
    if first is None:
        return
    layout = layout_of(first[1], path, reading.columns, reading.header)
    if layout.header:
        reading.header_lines += 1
    else:
        rows = chain([first], rows)
    yield from batched(edges_of(rows, layout, path, reading))


def _rows(path: Path, reading: Reading) -> Iterator[tuple[int, list[str]]]:
    """The rows with the numbers of the lines they begin on; empty lines are passed over."""
    lines = (text + "\n" for _, text in numbered_lines(path, reading))
    parser = csv.reader(lines, strict=True)
    while True:
        line = parser.line_num + 1
        try:
            row = next(parser)
        except StopIteration:
            return
        except csv.Error as error:
            # A quote that is never closed takes many lines with it.
            lost = parser.line_num + 1 - line
            reading.bad_line(f"this is no CSV: {error}", path, line, lost)
            continue
        if row:
            yield line, row
