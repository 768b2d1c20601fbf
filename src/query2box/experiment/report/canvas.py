"""How plots look: sizes, colours and marks that print well and that everybody can tell apart."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from query2box.errors import ConfigError
from query2box.experiment.report.series import Series
from query2box.model.config import SYSTEMS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 7.0
"""Inches: the width of a printed page's text."""

PAPER, PERFECT = "the paper (test)", "perfect"
BESIDE = (PAPER, PERFECT)

_LOOK = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],  # which matplotlib brings, so plots are alike everywhere
    "font.size": 8,
    "axes.titlesize": 9,
    "axes.titlelocation": "left",
    "axes.labelsize": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.4,
    "lines.markersize": 5,
    "legend.frameon": False,
    "legend.fontsize": 7.5,
    "legend.title_fontsize": 7.5,
    "svg.fonttype": "path",
    "svg.hashsalt": "query2box",  # equal plots are equal files
}


@dataclass(frozen=True)
class Mark:
    """What tells a series apart: by colour, by shape and by line, for those who see only one."""

    color: str
    shape: str
    line: str


# Okabe and Ito's colours, which people with any colour vision tell apart.
MARKS = (
    Mark("#0072B2", "o", "-"),
    Mark("#56B4E9", "s", "--"),
    Mark("#009E73", "^", "-."),
    Mark("#E69F00", "D", ":"),
    Mark("#CC79A7", "v", "-"),
    Mark("#D55E00", "P", "--"),
    Mark("#000000", "X", "-."),
    Mark("#888888", "*", ":"),
)


def marks_of(series: Sequence[Series]) -> list[Mark]:
    """A mark for each series: its system's own where systems alone tell them apart."""
    systems = list(SYSTEMS)
    if all(one.label in systems for one in series):
        return [MARKS[systems.index(one.label)] for one in series]
    return [MARKS[number % len(MARKS)] for number in range(len(series))]


def check_plots() -> None:
    """Refuse to begin where plots cannot be drawn in the end."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ConfigError(
            "plots need an extra: pip install 'query2box[report]' (or say --no-plots)"
        ) from error


@dataclass
class Canvas:
    """A figure at work; once it is left, `svg` is the picture."""

    figure: Figure
    svg: bytes = b""

    def panels(self, count: int = 1) -> list[Axes]:
        """So many axes beside each other."""
        return list(self.figure.subplots(1, count, squeeze=False).flat)

    def legend_below(self, axes: Axes, columns: int = 4, title: str | None = None) -> None:
        """One legend for all panels, under them; what everything is compared to comes last."""
        found = dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
        found |= {label: found.pop(label) for label in BESIDE if label in found}
        self.figure.legend(
            list(found.values()),
            list(found),
            loc="outside lower center",
            ncols=max(min(columns, len(found)), 1),
            title=title,
        )


@contextmanager
def canvas(height: float, width: float = WIDTH) -> Iterator[Canvas]:
    """Draw a picture of so many inches, without a screen and without touching global state."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(_LOOK):  # type: ignore[arg-type]
        drawn = Canvas(Figure(figsize=(width, height), layout="constrained"))
        yield drawn
        out = io.BytesIO()
        drawn.figure.savefig(out, format="svg", metadata={"Date": None})
        drawn.svg = out.getvalue()
