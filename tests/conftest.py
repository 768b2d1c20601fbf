"""Fixtures that several rooms' tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Kernels compile at first use, so the time of one example says nothing.
settings.register_profile(
    "default", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("default")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder with FB15k-237 and NELL995, which is not part of the repository."""
    root = Path(__file__).parent.parent
    shared = Path(os.environ.get("Q2B_SHARED", root.parent / "shared")) / "data"
    if not (shared / "FB15k-237").is_dir():
        pytest.skip("no FB15k-237 here; set Q2B_SHARED to the folder that has data/FB15k-237")
    return shared
