"""The pictures of a report; each function gives an SVG file, or None where there is nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from query2box.evaluation.details import EDGES
from query2box.experiment.report.box_sizes import BoxSizes
from query2box.experiment.report.canvas import MARKS, PAPER, PERFECT, Mark, canvas, marks_of
from query2box.experiment.report.datasets import Dataset
from query2box.experiment.report.runs import Point
from query2box.experiment.report.series import Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def learning_curves(dataset: Dataset) -> bytes | None:
    """Loss and validation H@3 of each run by step."""
    if not any(run.losses for run in dataset.runs):
        return None
    with canvas(3.2) as drawn:
        loss, quality = drawn.panels(2)
        for series, mark in _marked(dataset):
            for number, run in enumerate(series.runs):
                label = series.label if number == 0 else None
                for axes, points, shape in (
                    (loss, _smooth(run.losses), ""),
                    (quality, run.validations, mark.shape),
                ):
                    axes.plot(
                        [point.step for point in points],
                        [point.value for point in points],
                        color=mark.color,
                        linestyle=mark.line,
                        marker=shape,
                        markersize=3.5,
                        label=label,
                    )
        loss.set(title="Training loss", xlabel="step")
        quality.set(title="H@3 on validation queries", xlabel="step")
        quality.set_ylim(bottom=0)
        drawn.legend_below(loss)
    return drawn.svg


def _smooth(points: tuple[Point, ...], shown: int = 60) -> tuple[Point, ...]:
    """At most so many points, each the mean of neighbours: every second's loss is mere noise."""
    size = -(-len(points) // shown)
    parts = [points[start : start + size] for start in range(0, len(points), size or 1)]
    return tuple(
        part[-1]._replace(value=sum(point.value for point in part) / len(part)) for part in parts
    )


def quality_against_time(dataset: Dataset) -> bytes | None:
    """The best validation H@3 so far by minutes of training, a line a run."""
    if not any(run.validations for run in dataset.runs):
        return None
    with canvas(3.4) as drawn:
        (axes,) = drawn.panels()
        for series, mark in _marked(dataset):
            for number, run in enumerate(series.runs):
                values = [point.value for point in run.validations]
                axes.plot(
                    [point.seconds / 60 for point in run.validations],
                    np.maximum.accumulate(values) if values else [],
                    color=mark.color,
                    linestyle=mark.line,
                    marker=mark.shape,
                    markersize=4,
                    label=series.label if number == 0 else None,
                )
        axes.set(title="Best H@3 on validation queries so far", xlabel="minutes of training")
        axes.set_xlim(left=0)
        axes.set_ylim(bottom=0)
        drawn.legend_below(axes)
    return drawn.svg


def by_structure(dataset: Dataset, metric: str = "hits@3") -> bytes:
    """H@3 by structure and system, with spread over seeds and the paper's figures."""
    places = ("average", *dataset.structures)
    with canvas(3.6) as drawn:
        (axes,) = drawn.panels()
        for place in range(0, len(places), 2):
            axes.axvspan(place - 0.5, place + 0.5, color="#f4f4f4", linewidth=0, zorder=0)
        count = len(dataset.series)
        for number, (series, mark) in enumerate(_marked(dataset)):
            at = np.arange(len(places)) + 0.8 * ((number + 0.5) / count - 0.5)
            _figures(axes, at, series, metric, places, mark)
            if dataset.paper:
                said = [dataset.paper.metric(metric, series.system, place) for place in places]
                known = [(x, one.value) for x, one in zip(at, said, strict=True) if one]
                _ticks(axes, known, 0.8 / count, "" if number else PAPER)
        axes.set_xticks(range(len(places)), places)
        axes.set(title="H@3 by structure", xlim=(-0.5, len(places) - 0.5))
        axes.set_ylim(bottom=0)
        axes.grid(visible=False, axis="x")
        axes.tick_params(axis="x", length=0)
        drawn.legend_below(axes, 5)
    return drawn.svg


def _figures(
    axes: Axes, at: Any, series: Series, metric: str, places: tuple[str, ...], mark: Mark
) -> None:
    found = [series.metric(metric, place) for place in places]
    axes.errorbar(
        at,
        [np.nan if one is None else one.value for one in found],
        yerr=[0.0 if one is None else one.spread or 0.0 for one in found],
        fmt=mark.shape,
        color=mark.color,
        elinewidth=1,
        label=series.label,
    )


def _ticks(axes: Axes, points: list[tuple[float, float]], width: float, label: str) -> None:
    """A short line at each value."""
    axes.hlines(
        [value for _, value in points],
        [x - width / 2 for x, _ in points],
        [x + width / 2 for x, _ in points],
        color="#444444",
        linewidth=1.2,
        label=label,
    )


def rank_histograms(dataset: Dataset) -> bytes:
    """Where hard answers stand: by system over all structures, and by structure for the first."""
    structures = dataset.structures
    first = dataset.series[0]
    by_system = {one.label: _mean_shares(one, structures) for one in dataset.series}
    by_name = {name: _mean_shares(first, (name,)) for name in structures}
    height = 1.3 + 0.26 * max(len(by_system), len(by_name))
    with canvas(height) as drawn:
        systems, shapes = drawn.panels(2)
        _stack(systems, by_system)
        _stack(shapes, by_name)
        systems.set(title="All structures, by system")
        shapes.set(title=f"By structure, {first.label}")
        drawn.legend_below(systems, 7, "rank")
    return drawn.svg


def _mean_shares(series: Series, structures: tuple[str, ...]) -> list[float]:
    """The mean over runs and structures of the shares of ranks."""
    rows = [
        run.evaluation["details"][name]["ranks"]
        for run in series.runs
        for name in structures
        if run.evaluation and name in run.evaluation["details"]
    ]
    return np.mean(rows, axis=0).tolist() if rows else [0.0] * (len(EDGES) + 1)


def _stack(axes: Axes, rows: Mapping[str, list[float]]) -> None:
    """A bar a row, a piece a bin of ranks; from dark, the first places, to light."""
    from matplotlib import colormaps

    last = 6  # ranks beyond 300 and more are one piece
    names = ["1", *(f"{low + 1:,}-{high:,}" for low, high in pairwise(EDGES[:last]))]
    colors = colormaps["cividis"](np.linspace(0.0, 1.0, last + 1))
    left = np.zeros(len(rows))
    for piece, name in enumerate([*names, f"over {EDGES[last - 1]:,}"]):
        values = [row[piece] if piece < last else sum(row[last:]) for row in rows.values()]
        axes.barh(range(len(rows)), values, left=left, color=colors[piece], label=name)
        left += values
    axes.set_yticks(range(len(rows)), list(rows))
    axes.invert_yaxis()
    axes.set(xlabel="share of hard answers", xlim=(0, 1))
    axes.grid(visible=False)
    axes.tick_params(axis="y", length=0)


def calibration(dataset: Dataset) -> bytes | None:
    """Probabilities against what came true, and the calibration error by structure."""
    known = [
        (series, mark, series.runs[0].reliability)
        for series, mark in _marked(dataset)
        if series.runs[0].reliability
    ]
    if not known:
        return None
    places = range(len(dataset.structures))
    with canvas(3.4) as drawn:
        truth, errors = drawn.panels(2)
        truth.plot([0, 1], [0, 1], color="#888888", linewidth=0.8, label=PERFECT)
        for series, mark, found in known:
            look: dict[str, Any] = {"color": mark.color, "marker": mark.shape, "markersize": 4}
            truth.plot(*_columns(found.bins), linestyle=mark.line, label=series.label, **look)
            values = [found.errors.get(name, np.nan) for name in dataset.structures]
            errors.plot(places, values, linestyle="", **look)
        truth.set(title="Probability and truth", xlabel="probability said", xlim=(0, 1))
        truth.set(ylabel="share that is true", ylim=(0, 1))
        errors.set(title="Expected calibration error by structure")
        errors.set_xticks(places, dataset.structures)
        errors.set_ylim(bottom=0)
        drawn.legend_below(truth, 5)
    return drawn.svg


def _columns(points: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    return [x for x, _ in points], [y for _, y in points]


def box_scatter(sizes: BoxSizes) -> bytes:
    """A point a relation: the number of answers of its 1p queries against its box size."""
    inverse = np.array([name.startswith("^") for name in sizes.relations], np.bool_)
    with canvas(3.6, 5.0) as drawn:
        (axes,) = drawn.panels()
        for chosen, mark, label in (
            (~inverse, MARKS[0], "relations"),
            (inverse, MARKS[5], "inverse relations"),
        ):
            axes.scatter(
                sizes.sizes[chosen],
                sizes.answers[chosen],
                s=14,
                marker=mark.shape,
                color=mark.color,
                alpha=0.6,
                linewidths=0,
                label=label,
            )
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter("{x:,g}")
        found = sizes.correlation
        said = "" if found is None else f" (rank correlation {found:.2f})"
        axes.set(title=f"Box size and number of answers{said}")
        axes.set(xlabel="box size: L1 norm of the offset", ylabel="mean answers of 1p queries")
        axes.set_xlim(left=0)
        drawn.legend_below(axes)
    return drawn.svg


def _marked(dataset: Dataset) -> list[tuple[Series, Mark]]:
    return list(zip(dataset.series, marks_of(dataset.series), strict=True))
