from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from query2box.answering.isotonic import BIN, expected_calibration_error, fit_curve


@st.composite
def observations(draw):
    """Distances, some of them equal, and truths that near ones have more often."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    size = draw(st.sampled_from([1, 2, BIN, 10 * BIN + 3]))
    distances = rng.normal(10, 4, size).round(draw(st.integers(0, 3)))
    steepness = draw(st.sampled_from([-1.0, 0.0, 0.5, 3.0]))
    return distances, rng.random(size) < 1 / (1 + np.exp(steepness * (distances - 8)))


@given(observations())
def test_a_curve_never_rises_and_is_never_certain_against_the_evidence(seen):
    distances, truths = seen
    curve = fit_curve(distances, truths)
    found = curve(np.linspace(distances.min() - 5, distances.max() + 5, 500))
    assert (np.diff(found) <= 0).all()
    assert found.min() >= 0
    assert found.max() <= 1
    if not truths.all():
        assert found.max() < 1
    if truths.any():
        assert found.min() > 0


@given(observations())
def test_levels_are_those_of_isotonic_regression(seen):
    """The solution is known in closed form: at each place, min over starts of max over ends."""
    distances, truths = seen
    order = np.argsort(distances, kind="stable")
    parts = np.array_split(order, max(len(order) // BIN, 1))
    rate = truths.mean()

    def share(first, last):
        inside = np.concatenate(parts[first : last + 1])
        return (truths[inside].sum() + rate) / (len(inside) + 1)

    if len(parts) > 1:
        expected = [
            min(max(share(a, b) for b in range(i, len(parts))) for a in range(i + 1))
            for i in range(len(parts))
        ]
        curve = fit_curve(distances, truths)
        middles = [distances[part].mean() for part in parts]
        # Equal distances may lie on both sides of a border between bins.
        inner = [i for i, part in enumerate(parts) if np.ptp(distances[part]) > 0]
        found = curve(np.array(middles))
        close = [abs(found[i] - expected[i]) < 0.02 for i in inner]
        assert sum(close) >= len(inner) - 2


def test_a_known_curve_is_found_again():
    rng = np.random.default_rng(1)
    distances = rng.uniform(0, 20, 50_000)
    chances = 1 / (1 + np.exp(distances - 10))
    curve = fit_curve(distances, rng.random(50_000) < chances)
    assert np.abs(curve(distances) - chances).mean() < 0.01


def test_the_expected_calibration_error_is_the_mean_gap():
    assert expected_calibration_error([0.9] * 10, [True] * 5 + [False] * 5) == pytest.approx(0.4)
    assert expected_calibration_error([1.0, 0.0], [True, False]) == 0
    # Gaps of different bins do not make up for each other.
    mixed = expected_calibration_error([0.95] * 4 + [0.05] * 4, [False] * 4 + [True] * 4)
    assert mixed == pytest.approx(0.95)
    assert expected_calibration_error([], []) == 0


def test_honest_probabilities_have_a_small_error():
    rng = np.random.default_rng(2)
    probabilities = rng.random(100_000)
    truths = rng.random(100_000) < probabilities
    assert expected_calibration_error(probabilities, truths) < 0.01
    assert expected_calibration_error(probabilities**2, truths) > 0.1
