from __future__ import annotations

from collections.abc import Iterator

import numba
import pytest
import torch

from query2box.experiment.threads import cores, use_threads


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    before = torch.get_num_threads(), numba.get_num_threads()
    yield
    torch.set_num_threads(before[0])
    numba.set_num_threads(before[1])


def test_threads_are_given_to_both() -> None:
    assert use_threads(1) == torch.get_num_threads() == numba.get_num_threads() == 1


def test_no_more_than_there_are() -> None:
    assert use_threads(10**6) == use_threads() <= cores()
