"""Tables as data: what a cell is, before it becomes Markdown, CSV, LaTeX or HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias


@dataclass(frozen=True)
class Figure:
    """A number as tables show it: perhaps a mean with its spread, perhaps the best of its kind."""

    value: float
    spread: float | None = None
    digits: int = 3
    best: bool = False

    def text(self, plus_minus: str) -> str:
        """The number in words of a table: 0.268, 12,143, 0.268 ± 0.003."""
        shown = f"{self.value:,.{self.digits}f}"
        if self.spread is None:
            return shown
        return f"{shown}{plus_minus}{self.spread:,.{self.digits}f}"


Cell: TypeAlias = str | Figure | None
Row: TypeAlias = tuple[Cell, ...]


@dataclass(frozen=True)
class Table:
    """A named grid with a title above and a note below."""

    name: str
    """Of its files."""
    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    note: str = ""

    def __post_init__(self) -> None:
        if any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError("each row needs a cell for each column")

    def is_text(self, column: int) -> bool:
        """Whether a column holds words, which stand to the left."""
        return any(isinstance(row[column], str) for row in self.rows)


def count(number: float) -> Figure:
    """A whole number."""
    return Figure(number, digits=0)


def with_best(rows: Sequence[Row], among: Sequence[int]) -> tuple[Row, ...]:
    """The rows with the best figure of each column marked; rows not `among` do not compete.

    Figures that look the same are best together; where all do, none is.
    """
    marked = [list(row) for row in rows]
    for column in range(len(marked[0]) if marked else 0):
        cells = {row: marked[row][column] for row in among}
        shown = {row: cell for row, cell in cells.items() if isinstance(cell, Figure)}
        values = {row: round(cell.value, cell.digits) for row, cell in shown.items()}
        for row, cell in shown.items():
            if values[row] == max(values.values()) > min(values.values()):
                marked[row][column] = replace(cell, best=True)
    return tuple(tuple(row) for row in marked)
