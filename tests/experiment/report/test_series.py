"""Which runs belong together."""

from __future__ import annotations

import statistics
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from query2box.experiment.config import resolve
from query2box.experiment.report.runs import RunFigures
from query2box.experiment.report.series import recipe, series_of, spread
from recorded import recorded_runs


def run(system: str, seed: int = 0, preset: str = "fast", **settings: object) -> RunFigures:
    config = resolve(system, preset, {"seed": seed, **settings})
    return replace(recorded_runs()[0], config=config, name=f"{system}-{seed}")


def test_runs_that_differ_in_their_seed_are_one_series() -> None:
    found = series_of(
        [run("gqe", 1), run("query2box"), run("gqe", 0, threads=1), run("gqe", 2)],
    )
    assert [(one.label, len(one.runs)) for one in found] == [("query2box", 1), ("gqe", 3)]
    assert [one.config.seed for one in found[1].runs] == [0, 1, 2]


def test_labels_say_what_differs() -> None:
    found = series_of([run("gqe", minutes=10.0), run("gqe", minutes=2.5, dim=32), run("transe")])
    assert [one.label for one in found] == [
        "gqe (minutes 10, dim 400)",
        "gqe (minutes 2.5, dim 32)",
        "transe",
    ]


def test_runs_without_an_evaluation_do_not_count() -> None:
    assert series_of([replace(run("gqe"), evaluation=None)]) == ()


def test_a_figure_that_a_run_lacks() -> None:
    (series,) = series_of([run("gqe")])
    assert series.metric("mrr", "4p") is None


def test_recipes() -> None:
    assert recipe(run("query2box").config) == "fast"
    assert recipe(run("query2box", 3, "paper", minutes=1.0, threads=2).config) == "paper"
    changed = run("q2b-avg", dim=16, structures="1p,2p").config
    assert recipe(changed) == "fast, dim 16, structures 1p+2p"
    assert recipe(replace(changed, preset="older")) == "older"


@given(st.lists(st.floats(0, 1), min_size=2, max_size=9))
def test_mean_and_spread(values: list[float]) -> None:
    found = spread(values)
    assert found is not None
    assert found.value == pytest.approx(statistics.fmean(values))
    assert found.spread == pytest.approx(statistics.stdev(values), abs=1e-9)


def test_one_value_has_no_spread() -> None:
    found = spread([0.5])
    assert found is not None
    assert (found.value, found.spread) == (0.5, None)
    assert spread([]) is None
