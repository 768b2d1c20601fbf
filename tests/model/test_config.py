from __future__ import annotations

import pytest

from query2box.errors import ConfigError
from query2box.model.config import SYSTEMS, ModelConfig

PAPER = ("1p", "2p", "3p", "2i", "3i")


@pytest.mark.parametrize(
    ("name", "center", "offset", "dim", "structures"),
    [
        ("query2box", "attention", "adaptive", 10, PAPER),
        ("q2b-avg", "average", "adaptive", 10, PAPER),
        ("q2b-deepsets", "deepsets", "adaptive", 10, PAPER),
        ("q2b-avg-1p", "average", "adaptive", 10, ("1p",)),
        ("q2b-sharedoffset", "attention", "shared", 10, PAPER),
        ("gqe", "deepsets", "none", 10, PAPER),
        ("gqe-double", "deepsets", "none", 20, PAPER),
        ("transe", "average", "none", 10, ("1p",)),
    ],
)
def test_the_papers_systems(name, center, offset, dim, structures) -> None:
    system = SYSTEMS[name]
    config = system.model(ModelConfig(dim=10, gamma=3.0))
    assert (config.center, config.offset, config.dim) == (center, offset, dim)
    assert config.gamma == 3.0
    assert system.structures == structures


def test_there_are_eight() -> None:
    assert len(SYSTEMS) == 8


@pytest.mark.parametrize(
    "options",
    [
        {"dim": 0},
        {"dim": 10**9},
        {"heads": 0},
        {"heads": 65},
        {"hidden": -1},
        {"alpha": 0.0},
        {"alpha": 1.5},
        {"alpha": float("nan")},
        {"gamma": 0.0},
        {"gamma": float("nan")},
        {"gamma": float("inf")},
    ],
    ids=str,
)
def test_bad_values(options: dict[str, float]) -> None:
    with pytest.raises(ConfigError, match=next(iter(options))):
        ModelConfig(**options)
