"""Tables in four formats, whatever names they hold."""

from __future__ import annotations

import csv
import io
import re
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from query2box.experiment.report.render import comma_separated, html, latex, markdown
from query2box.experiment.report.tables import Figure, Table, with_best

names = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp")), max_size=8)


def table_of(name: str) -> Table:
    rows = ((name, Figure(0.25, 0.125)), ("other", Figure(1234, digits=0)))
    return Table("name", f"Title {name}", ("what", name), rows, f"note {name}")


@given(names)
def test_comma_separated(name: str) -> None:
    printable = "".join(c if c.isprintable() else " " for c in name)
    lines = list(csv.reader(io.StringIO(comma_separated(table_of(name)), newline="")))
    assert lines[1:] == [[printable, "0.25", "0.125"], ["other", "1234", ""]]


@given(names)
def test_markdown_keeps_its_grid(name: str) -> None:
    grid = [line for line in markdown(table_of(name)).splitlines() if line.startswith("|")]
    assert len(grid) == 4
    for line in grid:
        assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) == 3
    assert grid[2].endswith("| 0.250 ± 0.125 |")
    assert grid[3] == "| other | 1,234 |"


@given(names)
def test_latex_keeps_its_grid(name: str) -> None:
    text = latex(table_of(name))
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert len(rows) == 3
    assert all(len(re.findall(r"(?<!\\)&", row)) == 1 for row in rows)
    without = re.sub(r"\\[{}]", "", text)
    assert without.count("{") == without.count("}")
    assert not re.search(r"(?<!\\)[%#]", text)


@given(names)
def test_html_gives_back_the_text(name: str) -> None:
    class Cells(HTMLParser):
        def __init__(self) -> None:
            super().__init__()
            self.found: list[str] = []

        def handle_starttag(self, tag: str, attrs: object) -> None:
            if tag in ("td", "th"):
                self.found.append("")

        def handle_data(self, data: str) -> None:
            if self.lasttag in ("td", "th") and self.found:
                self.found[-1] += data.rstrip("\n")

    printable = "".join(c if c.isprintable() else " " for c in name)
    cells = Cells()
    cells.feed(html(table_of(name)))
    assert cells.found[1:3] == [printable, printable]


def test_the_best_of_each_column() -> None:
    rows = [("a", Figure(0.3001)), ("b", Figure(0.3004)), ("paper", Figure(0.9)), ("c", None)]
    found = with_best([*rows, ("d", Figure(0.1))], [0, 1, 3, 4])
    best = [isinstance(row[1], Figure) and row[1].best for row in found]
    assert best == [True, True, False, False, False]
    assert with_best(rows, [0, 1, 3]) == tuple(rows)  # all look the same
    assert with_best([], []) == ()


def test_best_figures_are_bold() -> None:
    table = Table("name", "Title", ("x",), ((Figure(1.0, 0.5, 1, best=True),),))
    assert "| **1.0 ± 0.5** |" in markdown(table)
    assert r"\textbf{1.0 $\pm$ 0.5}" in latex(table)
    assert "<b>1.0" in html(table)
