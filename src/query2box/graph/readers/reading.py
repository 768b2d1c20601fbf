"""What every reader is told, checks and reports."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TypeAlias

from query2box.errors import DataError

Batch: TypeAlias = bytes
"""Some thousand edges as a dataset folder has them: well-formed lines of names in UTF-8."""

_BATCH_EDGES = 1 << 15

# What can stand in a cell of a dataset folder. Nothing there is quoted, and a byte
# order mark vanishes from the beginning of a file.
_CELL = r"(?!\ufeff)[^\t\n\r]+"
_NAME = re.compile(_CELL)
_EDGE = re.compile(rf"{_CELL}\t(?!\^){_CELL}\t{_CELL}")


@dataclass(slots=True)
class Reading:
    """How to read files, and what was found in them beside edges.

    `file_format` None means: by the file's name. `header` None means: look whether
    the first row names its columns. `columns` are the head's, the relation's and
    the tail's, each by name or, from 1, by number.
    """

    file_format: str | None = None
    header: bool | None = None
    columns: tuple[str, str, str] | None = None
    skip_bad_lines: bool = False
    bad_lines: int = 0
    header_lines: int = 0
    literals: int = 0
    anonymous_nodes: int = 0
    labels: dict[str, str] = field(default_factory=dict)
    preferred_labels: set[str] = field(default_factory=set)

    def bad_line(self, message: str, path: Path, line: int | None, lines: int = 1) -> None:
        """Refuse a line, or count it and those lost with it where bad lines are skipped."""
        if not self.skip_bad_lines:
            raise DataError(message, path, line)
        self.bad_lines += lines

    def add_label(self, name: str, label: str, preferred: bool) -> None:
        """Note a readable name; the first preferred one counts, else the first."""
        label = " ".join(label.split())
        if not label or name in self.preferred_labels:
            return
        if preferred:
            self.preferred_labels.add(name)
            self.labels[name] = label
        else:
            self.labels.setdefault(name, label)


def fault(edge: Sequence[str]) -> str | None:
    """What keeps three names from being an edge, or None."""
    if _EDGE.fullmatch("\t".join(edge)):
        return None
    head, relation, tail = edge
    return name_fault(head) or relation_fault(relation) or name_fault(tail)


def name_fault(name: str) -> str | None:
    """What keeps a text from being a name, or None."""
    if _NAME.fullmatch(name):
        return None
    if not name:
        return "a name is empty"
    return f"the name {name!r} holds a tab, a line break or a byte order mark"


def relation_fault(name: str) -> str | None:
    """What keeps a text from being the name of a relation, or None."""
    if name.startswith("^"):
        return f"the relation {name!r} begins with ^, which marks inverse relations"
    return name_fault(name)


def batched(edges: Iterable[Sequence[str]]) -> Iterator[Batch]:
    """Edges one by one as batches."""
    lines = ("\t".join(edge) + "\n" for edge in edges)
    while batch := "".join(islice(lines, _BATCH_EDGES)):
        yield batch.encode()
