from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from query2box.answering.isotonic import (
    BIN,
    borders,
    expected_calibration_error,
    fit_chance,
    fit_curve,
    reliability_bins,
)


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
    distances, truths = distances[order], truths[order]
    bins = list(pairwise(borders(distances)))
    rate = truths.mean()

    def share(first, last):
        inside = truths[bins[first][0] : bins[last][1]]
        return (inside.sum() + rate) / (len(inside) + 1)

    curve = fit_curve(distances, truths)
    for i, (start, stop) in enumerate(bins):
        # Each level counts one observation more, so it is not quite the formula's.
        expected = min(max(share(a, b) for b in range(i, len(bins))) for a in range(i + 1))
        assert curve(distances[start:stop]) == pytest.approx(expected, abs=0.5 / BIN)


@given(observations())
def test_bins_are_large_and_never_part_equals(seen):
    distances = np.sort(seen[0])
    ends = borders(distances)
    assert (ends[0], ends[-1]) == (0, len(distances))
    assert all(stop - start >= min(BIN, len(distances)) for start, stop in pairwise(ends))
    assert all(distances[cut - 1] < distances[cut] for cut in ends[1:-1])


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


def test_reliability_bins():
    found = reliability_bins([0.01, 0.05, 0.5, 1.0], [False, True, True, True])
    assert [one.guesses for one in found] == [2, 1, 1]
    assert found[0] == pytest.approx((0.03, 0.5, 2))
    assert found[2] == (1.0, 1.0, 1)
    assert reliability_bins([], []) == []


def test_honest_probabilities_have_a_small_error():
    rng = np.random.default_rng(2)
    probabilities = rng.random(100_000)
    truths = rng.random(100_000) < probabilities
    assert expected_calibration_error(probabilities, truths) < 0.01
    assert expected_calibration_error(probabilities**2, truths) > 0.1


def test_ranks_count_where_they_tell_more_than_distances():
    rng = np.random.default_rng(3)
    distances = np.sort(rng.normal(10, 1, (2000, 20)), axis=1)
    ranks = np.broadcast_to(np.arange(1, 21), distances.shape)
    by_rank = fit_chance(distances.ravel(), ranks.ravel(), (ranks <= 2).ravel())
    assert by_rank.weight > 0
    assert by_rank(10.0, [1, 20]).tolist() == pytest.approx([1, 0], abs=0.05)
    truths = rng.random(distances.shape) < 1 / (1 + np.exp(2 * (distances - 9)))
    by_distance = fit_chance(distances.ravel(), ranks.ravel(), truths.ravel())
    assert by_distance.weight <= 0.25 * distances.std()


@given(observations())
def test_a_chance_is_never_better_farther_away_or_at_a_higher_rank(seen):
    distances, truths = seen
    ranks = np.random.default_rng(0).integers(1, 50, len(distances))
    chance = fit_chance(distances, ranks, truths)
    everywhere = np.linspace(distances.min() - 5, distances.max() + 5, 100)
    for rank in (1, 3, 1000):
        assert (np.diff(chance(everywhere, rank)) <= 0).all()
    for distance in everywhere[::10]:
        assert (np.diff(chance(distance, np.arange(1, 200))) <= 0).all()
