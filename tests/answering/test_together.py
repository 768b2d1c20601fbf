from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from query2box.answering.answers import Reply
from query2box.answering.together import Wanted, reply_together
from reasoners import random_reasoner
from strategies import graphs, queries

wishes = st.tuples(queries(), st.integers(0, 9), st.sampled_from([None, "known", "predicted"])).map(
    lambda parts: Wanted(*parts)
)


def check_equal(own: Reply, other: Reply) -> None:
    """Equal but for rounding, which may swap what is equally near."""
    assert (own.query, own.disjuncts) == (other.query, other.disjuncts)
    assert len(own.answers) == len(other.answers)
    np.testing.assert_allclose(
        [answer.distance for answer in own.answers],
        [answer.distance for answer in other.answers],
        rtol=1e-4,
        atol=1e-4,
    )
    expected = {answer.id: answer for answer in other.answers}
    farthest = max((answer.distance for answer in other.answers), default=0.0)
    for answer in own.answers:
        if answer.id in expected:
            assert answer.known == expected[answer.id].known
            assert answer.distance == pytest.approx(
                expected[answer.id].distance, rel=1e-4, abs=1e-4
            )
        else:  # it stands for one that was just as near
            assert answer.distance == pytest.approx(farthest, rel=1e-4, abs=1e-4)


@given(graphs(), st.lists(wishes, max_size=6))
@settings(max_examples=50)
def test_together_is_as_one_by_one(graph, wanted) -> None:
    reasoner = random_reasoner(graph)
    replies = reply_together(reasoner, wanted)
    assert len(replies) == len(wanted)
    for reply, (query, k, only) in zip(replies, wanted, strict=True):
        check_equal(reply, reasoner.reply(query, k, only=only))
