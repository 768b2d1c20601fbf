from __future__ import annotations

import pytest

from query2box.errors import ConfigError
from query2box.training.config import TrainingConfig
from shapes import SHAPES


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("steps", 0),
        ("batch_size", 0),
        ("num_negatives", 0),
        ("chunk", -1),
        ("pool", 2**31),
        ("reuse", 0),
        ("softmax", -1.0),
        ("margin", float("nan")),
        ("temperature", -0.1),
        ("learning_rate", -1.0),
        ("positives", 0),
        ("near", 1.5),
        ("evenness", -1.0),
        ("open", 1.5),
        ("travel", -1.0),
        ("least", -1.0),
        ("warmup", 1.5),
        ("floor", -0.5),
        ("structures", ()),
        ("structures", ("1p", "1p")),
        ("structures", ("2x",)),
        ("structures", ("1p*2", "1p")),
        ("structures", ("1p*",)),
        ("structures", ("1p*0",)),
        ("structures", ("1p*nan",)),
        ("structures", ("1p*1e9",)),
        ("structures", ("i(p(e),",)),
        ("structures", ("e",)),
        ("structures", ("p(" * 5000 + "e" + ")" * 5000,)),
        ("structures", (f"i({','.join(['u(p(e),p(e))'] * 7)})",)),
    ],
    ids=lambda value: str(value)[:20],
)
def test_bad_values(option: str, value: object) -> None:
    with pytest.raises(ConfigError, match=option) as found:
        TrainingConfig(**{option: value})
    assert len(str(found.value)) < 400


def test_without_a_loss() -> None:
    with pytest.raises(ConfigError, match="softmax and margin"):
        TrainingConfig(softmax=0.0, margin=0.0)


def test_any_shape_may_be_trained_on() -> None:
    assert TrainingConfig(structures=SHAPES).structures == SHAPES
