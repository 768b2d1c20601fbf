from __future__ import annotations

import pytest

from query2box.errors import DataError
from query2box.graph.builtin import BUILTIN
from query2box.graph.knowledge_graph import KnowledgeGraph


def test_each_is_listed_under_its_name():
    assert list(BUILTIN) == ["countries", "wordnet"]
    for name, builtin in BUILTIN.items():
        assert builtin.name == name
        assert builtin.description


def test_countries_is_always_there():
    assert BUILTIN["countries"].available()


def test_a_misspelt_name_is_helped():
    with pytest.raises(DataError, match="did you mean countries"):
        KnowledgeGraph.load("contries")
