"""Every picture is drawn, at its size, and the same each time."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from query2box.experiment.report import plots
from query2box.experiment.report.box_sizes import BoxSizes
from query2box.experiment.report.canvas import MARKS, marks_of
from query2box.experiment.report.datasets import Dataset
from recorded import recorded_dataset

PLOTS = {
    "structures": (plots.by_structure, 7.0, 3.6),
    "time": (plots.quality_against_time, 7.0, 3.4),
    "learning": (plots.learning_curves, 7.0, 3.2),
    "ranks": (plots.rank_histograms, 7.0, 1.3 + 0.26 * 9),
    "calibration": (plots.calibration, 7.0, 3.4),
}


def check(svg: bytes | None, width: float, height: float) -> None:
    assert svg is not None
    root = ElementTree.fromstring(svg)
    size = [float(root.attrib[name].removesuffix("pt")) / 72 for name in ("width", "height")]
    assert size == pytest.approx([width, height])
    drawn = list(root.iter("{http://www.w3.org/2000/svg}path"))
    assert len(drawn) > 20
    # Nothing but a vocabulary's name points elsewhere.
    assert not re.findall(rb'(?:href|src)="(?!#)', svg)


@pytest.mark.parametrize("name", PLOTS)
def test_each_is_drawn(name: str) -> None:
    draw, width, height = PLOTS[name]
    svg = draw(recorded_dataset())
    check(svg, width, height)
    assert draw(recorded_dataset()) == svg


def test_more_is_drawn_where_the_paper_has_figures() -> None:
    ours = recorded_dataset(of_the_paper=False)
    assert plots.by_structure(ours) != plots.by_structure(recorded_dataset())


@pytest.mark.parametrize("count", [1, 60])
def test_box_sizes(count: int) -> None:
    sizes = np.linspace(0, 9, count)
    names = tuple("^" * (i % 2) + f"r{i}" for i in range(count))
    check(plots.box_scatter(BoxSizes(names, sizes, 1 + sizes**3)), 5.0, 3.6)


def _without(dataset: Dataset, **nothing: object) -> Dataset:
    series = tuple(
        replace(one, runs=tuple(replace(run, **nothing) for run in one.runs))
        for one in dataset.series
    )
    return replace(dataset, series=series)


@pytest.mark.parametrize(
    "draw, nothing",
    [
        (plots.learning_curves, {"losses": ()}),
        (plots.quality_against_time, {"validations": ()}),
        (plots.calibration, {"reliability": None}),
    ],
)
def test_nothing_to_draw(draw: Callable[[Dataset], bytes | None], nothing: dict) -> None:
    assert draw(_without(recorded_dataset(), **nothing)) is None


def test_a_run_without_validations_among_others() -> None:
    dataset = recorded_dataset()
    bare = _without(replace(dataset, series=dataset.series[:1]), validations=(), losses=())
    mixed = replace(dataset, series=(*bare.series, *dataset.series[1:]))
    for draw in (plots.learning_curves, plots.quality_against_time):
        assert draw(mixed) is not None


def test_marks() -> None:
    series = recorded_dataset().series
    by_system = marks_of(series)
    assert len(set(by_system)) == len(series)
    assert marks_of(series[1:]) == by_system[1:]
    renamed = [replace(one, label=f"{one.label} (dim 8)") for one in series]
    assert marks_of(renamed) == list(MARKS[: len(series)])


def test_global_settings_stay(tmp_path: Path) -> None:
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    plots.by_structure(recorded_dataset())
    assert dict(mpl.rcParams) == before
