from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from query2box.errors import DataError, UnknownNameError
from query2box.graph.vocabulary import Vocabulary, nearest


@given(st.lists(st.text(min_size=1), unique=True))
def test_names_and_ids_are_inverse(names: list[str]) -> None:
    vocabulary = Vocabulary("entity", names)
    assert list(vocabulary) == names == [vocabulary.name(i) for i in range(len(vocabulary))]
    assert [vocabulary.id(name) for name in names] == list(range(len(names)))
    assert [vocabulary.get(name) for name in names] == list(range(len(names)))
    assert all(name in vocabulary for name in names)
    assert vocabulary == Vocabulary("entity", iter(names))
    assert hash(vocabulary) == hash(Vocabulary("entity", names))
    assert vocabulary != Vocabulary("relation", names)


@given(st.lists(st.sampled_from("abc"), min_size=4))
def test_a_name_stands_once(names: list[str]) -> None:
    with pytest.raises(DataError, match=r"the entity '[abc]' is listed twice"):
        Vocabulary("entity", names)


def test_a_misspelt_name_gets_suggestions() -> None:
    vocabulary = Vocabulary("entity", ["France", "Germany", "Turing Award"])
    with pytest.raises(UnknownNameError, match="unknown entity 'Grmany'; did you mean 'Germany'"):
        vocabulary.id("Grmany")
    assert vocabulary.suggest("turing award")[0] == "Turing Award"
    assert vocabulary.get("Grmany") is None
    assert "Grmany" not in vocabulary


def test_nothing_is_like_a_very_long_name() -> None:
    assert nearest("France" * 1000, ["France"]) == ()


@pytest.mark.parametrize("index", [-1, 2, 10**20])
def test_ids_outside_the_vocabulary(index: int) -> None:
    with pytest.raises(UnknownNameError, match=f"unknown relation '#{index}'"):
        Vocabulary("relation", ["a", "b"]).name(index)
