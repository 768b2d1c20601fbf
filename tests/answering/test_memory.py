from __future__ import annotations

import sys

import numpy as np
import pytest

from query2box.answering.memory import forget_peak, peak_memory


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux forgets a peak")
def test_a_peak_is_seen_and_forgotten() -> None:
    size = 200_000_000
    forget_peak()
    before = peak_memory()
    table = np.ones(size, np.uint8)
    during = peak_memory()
    del table
    forget_peak()
    after = peak_memory()
    assert during > before + size // 2
    assert after < during - size // 2
