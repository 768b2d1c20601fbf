from __future__ import annotations

from pathlib import Path

import pytest

from query2box.errors import DataError
from query2box.graph.datasets import load_dataset, load_graph
from query2box.graph.knowledge_graph import KnowledgeGraph


def test_a_folder_goes_before_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert load_graph("countries").num_entities > 1000
    (tmp_path / "countries").mkdir()
    (tmp_path / "countries" / "train.tsv").write_text("a\tr\tb\na\tr\tb\n")
    assert list(load_graph("countries").entities) == ["a", "b"]
    assert list(KnowledgeGraph.load(tmp_path / "countries").entities) == ["a", "b"]
    assert load_dataset("countries").duplicates == {"train": 1}


def test_unknown_datasets(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"'contries' \(countries, wordnet\).* mean countries\?"):
        load_graph("contries")
    with pytest.raises(DataError, match="no folder and no built-in dataset"):
        load_graph(tmp_path / "nowhere")
    (tmp_path / "facts.csv").write_text("a,r,b")
    with pytest.raises(DataError, match="`q2b data import` makes a dataset folder of it"):
        load_graph(tmp_path / "facts.csv")
