"""Which columns of a table are the head, the relation and the tail."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from query2box.errors import ConfigError, DataError
from query2box.graph.readers.reading import Reading, fault

# One line a habit; mixing them would take too many first edges for headers.
_HABITS = (
    ({"head"}, {"relation", "rel"}, {"tail"}),
    ({"h"}, {"r"}, {"t"}),
    ({"subject", "subj"}, {"predicate", "pred", "property", "relation"}, {"object", "obj"}),
    ({"s"}, {"p"}, {"o"}),
    (
        {"source", "src"},
        {"relation", "relationship", "rel", "edge", "metaedge", "type", "label", "predicate"},
        {"target", "dst", "destination"},
    ),
    ({"from"}, {"relation", "relationship", "rel", "edge", "type", "label"}, {"to"}),
    ({"entity1"}, {"relation"}, {"entity2"}),
    ({"x_name"}, {"relation"}, {"y_name"}),
)


@dataclass(frozen=True, slots=True)
class Layout:
    """How wide the rows are, which columns count, and whether the first row is a header."""

    width: int = 3
    columns: tuple[int, int, int] = (0, 1, 2)
    header: bool = False

    @property
    def plain(self) -> bool:
        """Whether a row is head, relation, tail and nothing else."""
        return self.width == 3 and self.columns == (0, 1, 2)


def layout_of(
    first: Sequence[str],
    path: Path,
    columns: tuple[str, str, str] | None,
    header: bool | None,
) -> Layout:
    """The layout of a table, from its first row and from what the user said."""
    recognized = _recognize(first)
    if columns is not None and not all(column.isdecimal() for column in columns):
        if header is False:
            raise ConfigError("columns without a header are given by number, e.g. 1,2,3")
        return Layout(len(first), _by_name(columns, first, path), header=True)
    if header is None:
        header = recognized is not None
    if columns is not None:
        return Layout(len(first), _by_number(columns, first, path), header)
    if header and recognized is not None:
        return Layout(len(first), recognized, header)
    if header and len(first) != 3:
        there = ", ".join(map(repr, first))
        raise DataError(f"which columns are head, relation and tail? There are {there}", path, 1)
    return Layout(header=header)


def _recognize(names: Sequence[str]) -> tuple[int, int, int] | None:
    """The columns of head, relation and tail by the names people give them, or None."""
    lowered = [name.strip().lower() for name in names]
    for habit in _HABITS:
        found = [[i for i, name in enumerate(lowered) if name in role] for role in habit]
        if all(len(columns) == 1 for columns in found):
            return found[0][0], found[1][0], found[2][0]
    return None


def _by_name(
    wanted: tuple[str, str, str], names: Sequence[str], path: Path
) -> tuple[int, int, int]:
    """The columns with these names."""
    names = [name.strip() for name in names]
    for name in wanted:
        if name not in names:
            raise DataError(f"no column {name!r}; there are {', '.join(map(repr, names))}", path)
    head, relation, tail = map(names.index, wanted)
    return head, relation, tail


def _by_number(
    wanted: tuple[str, str, str], first: Sequence[str], path: Path
) -> tuple[int, int, int]:
    for number in wanted:
        if not 1 <= int(number) <= len(first):
            raise DataError(f"no column {number}; there are {len(first)}", path, 1)
    head, relation, tail = (int(number) - 1 for number in wanted)
    return head, relation, tail


def edges_of(
    rows: Iterable[tuple[int, Sequence[str]]], layout: Layout, path: Path, reading: Reading
) -> Iterator[Sequence[str]]:
    """The edges of numbered rows, each checked."""
    head, relation, tail = layout.columns
    for line, row in rows:
        if len(row) != layout.width:
            message = f"{layout.width} columns expected, {len(row)} found"
            reading.bad_line(message + _advice(len(row), layout, reading), path, line)
            continue
        edge = row[head], row[relation], row[tail]
        trouble = fault(edge)
        if trouble is None:
            yield edge
        else:
            reading.bad_line(trouble, path, line)


def _advice(found: int, layout: Layout, reading: Reading) -> str:
    """What may help where a plain table has other columns; a dataset folder's has no options."""
    if not layout.plain or reading.header is False:
        return ""
    if found == 1:
        return "; TSV has tabs between them, CSV commas"
    return "; --columns says which three count" if found > layout.width else ""
