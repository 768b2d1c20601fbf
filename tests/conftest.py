"""Fixtures that several rooms' tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Tests share the cores with each other: waiting threads are to sleep, not to spin.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Kernels compile at first use, so the time of one example says nothing.
settings.register_profile(
    "default", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
# Whether a change lands must not hang on chance: there the examples are the same each time.
settings.register_profile("ci", settings.get_profile("default"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder with FB15k-237 and NELL995, which is not part of the repository."""
    root = Path(__file__).parent.parent
    shared = Path(os.environ.get("Q2B_SHARED", root.parent / "shared")) / "data"
    if not (shared / "FB15k-237").is_dir():
        pytest.skip("no FB15k-237 here; set Q2B_SHARED to the folder that has data/FB15k-237")
    return shared


@pytest.fixture(scope="session")
def families_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small dataset folder with validation and test queries; not to be written to."""
    from families import save_families

    folder = tmp_path_factory.mktemp("data") / "families"
    save_families(folder)
    return folder


@pytest.fixture(scope="session")
def tiny_run(families_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run folder of a small model with its calibration; not to be written to."""
    from families import TINY
    from query2box.library import train

    out = tmp_path_factory.mktemp("runs") / "families"
    return train(families_data, out, settings={**TINY, "dim": 16, "steps": 100}).path
