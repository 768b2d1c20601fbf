"""Tables as Markdown, CSV, LaTeX and HTML."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from html import escape as html_escape

from query2box.experiment.report.tables import Cell, Figure, Table


@dataclass(frozen=True)
class _Style:
    """How one format writes what stands in a cell."""

    escape: Callable[[str], str]
    plus_minus: str
    bold: tuple[str, str]

    def cell(self, cell: Cell) -> str:
        """The text of a cell."""
        if cell is None:
            return ""
        if isinstance(cell, str):
            return self.escape(cell)
        text = cell.text(self.plus_minus)
        return f"{self.bold[0]}{text}{self.bold[1]}" if cell.best else text


def _plain(text: str) -> str:
    """Text on one line, without what would move a cursor."""
    return "".join(c if c.isprintable() else " " for c in text)


def markdown_text(text: str) -> str:
    """Text that means itself in Markdown."""
    return re.sub(r"([\\`*_|<>\[\]])", r"\\\1", _plain(text))


_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "±": r"$\pm$",
    **{c: f"\\{c}" for c in "&%$#_{}"},
}


def latex_text(text: str) -> str:
    """Text that means itself in LaTeX."""
    return "".join(_LATEX.get(c, c) for c in _plain(text))


def html_text(text: str) -> str:
    """Text that means itself in HTML."""
    return html_escape(_plain(text))


_MARKDOWN = _Style(markdown_text, " ± ", ("**", "**"))
_LATEX_STYLE = _Style(latex_text, r" $\pm$ ", (r"\textbf{", "}"))
_HTML = _Style(html_text, "&#8239;±&#8239;", ("<b>", "</b>"))


def markdown(table: Table) -> str:
    """The title in bold, the grid, and the note."""
    grid = [[_MARKDOWN.cell(cell) for cell in row] for row in table.rows]
    head = [_MARKDOWN.escape(name) for name in table.columns]
    rule = ["---" if table.is_text(i) else "---:" for i in range(len(head))]
    lines = [f"| {' | '.join(row)} |" for row in (head, rule, *grid)]
    parts = [f"**{_MARKDOWN.escape(table.title)}**", "\n".join(lines)]
    return "\n\n".join([*parts, *filter(None, [_MARKDOWN.escape(table.note)])]) + "\n"


def latex(table: Table) -> str:
    """A table float for the package booktabs."""
    style = _LATEX_STYLE
    grid = [[style.cell(cell) for cell in row] for row in table.rows]
    head = [style.escape(name) for name in table.columns]
    places = "".join("l" if table.is_text(i) else "r" for i in range(len(head)))
    caption = " ".join(filter(None, (f"{table.title}.", table.note)))
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{style.escape(caption)}}}",
        rf"\label{{tab:{table.name}}}",
        rf"\begin{{tabular}}{{{places}}}",
        r"\toprule",
        *(" & ".join(row) + r" \\" + after for row, after in ((head, "\n\\midrule"),)),
        *(" & ".join(row) + r" \\" for row in grid),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def html(table: Table) -> str:
    """A figure with the title as its caption; wide ones scroll by themselves."""

    def line(cells: list[str], tag: str) -> str:
        kinds = (' class="text"' if table.is_text(i) else "" for i in range(len(cells)))
        return "".join(f"<{tag}{k}>{c}</{tag}>" for k, c in zip(kinds, cells, strict=True))

    head = line([_HTML.escape(name) for name in table.columns], "th")
    body = "\n".join(
        f"<tr>{line([_HTML.cell(cell) for cell in row], 'td')}</tr>" for row in table.rows
    )
    note = f"<p class=note>{_HTML.escape(table.note)}</p>" if table.note else ""
    return (
        f'<figure id="{_HTML.escape(table.name)}"><figcaption>{_HTML.escape(table.title)}'
        f"</figcaption><div class=wide><table><thead><tr>{head}</tr></thead>\n"
        f"<tbody>\n{body}\n</tbody></table></div>{note}</figure>\n"
    )


def comma_separated(table: Table) -> str:
    """The bare numbers, six digits of them; spreads have columns of their own."""
    spreads = [
        any(isinstance(row[i], Figure) and row[i].spread is not None for row in table.rows)  # type: ignore[union-attr]
        for i in range(len(table.columns))
    ]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")

    def line(cells: list[list[str]]) -> None:
        writer.writerow([part for cell in cells for part in cell])

    line([[n, f"{n} sd"] if s else [n] for n, s in zip(table.columns, spreads, strict=True)])
    for row in table.rows:
        line([_numbers(cell, s) for cell, s in zip(row, spreads, strict=True)])
    return out.getvalue()


def _numbers(cell: Cell, with_spread: bool) -> list[str]:
    if isinstance(cell, Figure):
        found = [f"{cell.value:.6g}", "" if cell.spread is None else f"{cell.spread:.6g}"]
        # Counts are exact, however large.
        found[0] = f"{cell.value:.0f}" if cell.digits == 0 else found[0]
    else:
        found = [_plain(cell or ""), ""]
    return found if with_spread else found[:1]


FORMATS: dict[str, Callable[[Table], str]] = {
    "md": markdown,
    "csv": comma_separated,
    "tex": latex,
}
"""What each table is written as, by the ending of its file."""
