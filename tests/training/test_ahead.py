"""Batches made ahead are those made when they are asked for."""

from __future__ import annotations

import numpy as np
import pytest

from batches import same
from families import families
from query2box.errors import DataError
from query2box.graph.adjacency import Adjacency
from query2box.training.ahead import Ahead
from query2box.training.batches import Batches
from query2box.training.config import TrainingConfig

GRAPH = families()


def make_batches(**options: object) -> Batches:
    config = TrainingConfig(batch_size=6, pool=20, num_negatives=10, chunk=4, reuse=2, **options)
    return Batches(GRAPH.adjacency, config, seed=0, threads=1)


@pytest.mark.parametrize("steps", [range(9), (4, 5, 2, 3, 3)])
def test_the_batch_of_a_step_whatever_was_asked_before(steps: range | tuple[int, ...]) -> None:
    ahead = Ahead(make_batches())
    for step in steps:
        assert same(ahead.batch(step), make_batches().batch(step))


def test_what_goes_wrong_is_told_to_who_asks() -> None:
    config = TrainingConfig(batch_size=2, pool=2, structures=("3i",))
    nothing = Adjacency.build(np.array([(0, 0, 1)], np.int32), 2, 1)
    with pytest.raises(DataError):
        Ahead(Batches(nothing, config, seed=0, threads=1)).batch(0)
