"""Tab-separated values: a line an edge, no quoting."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from query2box.graph.readers.lines import BYTE_ORDER_MARK, blocks, decoded
from query2box.graph.readers.reading import Batch, Reading, batched
from query2box.graph.readers.table import edges_of, layout_of


def read_tsv(path: Path, reading: Reading) -> Iterator[Batch]:
    """The edges of a tab-separated file.

    A block of lines is checked in a few calls and passed on as it is; only one that
    may have something wrong in it is looked at line by line.
    """
    layout = None
    for start, block in blocks(path):
        line, lines = start, block
        if layout is None:
            first, _, rest = lines.partition(b"\n")
            cells = first.decode(errors="replace").split("\t")
            layout = layout_of(cells, path, reading.columns, reading.header)
            if layout.header:
                reading.header_lines += 1
                line, lines = line + 1, rest
        if layout.plain and _well_formed(lines):
            yield lines
            continue
        rows = (
            (number, text.split("\t"))
            for number, text in decoded(line, lines, path, reading)
            if text
        )
        yield from batched(edges_of(rows, layout, path, reading))


def _well_formed(lines: bytes) -> bool:
    """Whether every line certainly is as it should be."""
    data = np.frombuffer(lines, np.uint8)
    # Any other control character may be fine or not; it is rare enough to look at closely.
    ends = np.flatnonzero(data < 14)
    if not len(ends) or len(ends) % 3 or ends[0] == 0 or BYTE_ORDER_MARK in lines:
        return False
    if (data[ends].reshape(-1, 3) != np.frombuffer(b"\t\t\n", np.uint8)).any():
        return False
    starts = ends + 1
    if (starts[:-1] == ends[1:]).any() or (data[starts[::3]] == ord("^")).any():
        return False
    try:
        lines.decode()
    except UnicodeDecodeError:
        return False
    return True
