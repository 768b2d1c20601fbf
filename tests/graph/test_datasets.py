from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from query2box.errors import DataError
from query2box.graph.builtin import BUILTIN
from query2box.graph.datasets import load_dataset, load_graph, locate
from query2box.graph.knowledge_graph import KnowledgeGraph


def make(folder: Path, edge: str = "a\tr\tb") -> Path:
    folder.mkdir(parents=True)
    (folder / "train.tsv").write_text(f"{edge}\n")
    return folder


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that commands are given in, and beside it one for `Q2B_SHARED`."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("Q2B_SHARED", str(tmp_path / "shared"))
    return tmp_path / "here"


def test_a_folder_goes_before_a_name(here: Path) -> None:
    assert load_graph("countries").num_entities > 1000
    make(here / "countries", "a\tr\tb\na\tr\tb")
    assert list(load_graph("countries").entities) == ["a", "b"]
    assert list(KnowledgeGraph.load(here / "countries").entities) == ["a", "b"]
    assert load_dataset("countries").duplicates == {"train": 1}


def test_folders_are_found_by_name(here: Path) -> None:
    """The nearer, the better."""
    for number, folder in enumerate((here.parent / "shared/data/people", Path("data/people"))):
        make(folder, f"{number}\tr\tb")
        assert locate("people") == str(folder)
        graph = KnowledgeGraph.load("people")
        assert graph.name == "people"
        assert graph.entities[0] == str(number)
    make(here / "people")
    assert locate("people") == "people"


def test_a_built_in_name_goes_before_the_name_of_a_folder(here: Path) -> None:
    make(here / "data" / "countries")
    assert locate("countries") == "countries"
    assert load_graph("countries").num_entities > 1000


def test_unknown_datasets_say_where_was_looked(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shared = here.parent / "shared"
    make(shared / "data" / "FB15k-237")
    (here / "data" / "FB15k-238").mkdir(parents=True)  # holds no edges: no dataset
    with pytest.raises(DataError) as error:
        load_graph("FB15k237")
    assert str(error.value) == (
        f"there is no dataset 'FB15k237': no folder FB15k237 or data/FB15k237 or "
        f"{shared}/data/FB15k237, none built in (countries, wordnet); did you mean FB15k-237?"
    )
    monkeypatch.delenv("Q2B_SHARED")
    with pytest.raises(DataError, match=r"or data/FB15k-237, none built in \(.*\)$"):
        load_graph("FB15k-237")
    with pytest.raises(DataError, match=r"did you mean countries\?$"):
        load_graph("contries")


def test_neighbours_of_a_misspelt_folder(here: Path) -> None:
    make(here / "data" / "people")
    for wrong, right in (("data/peple", "data/people"), ("peple", "people")):
        with pytest.raises(DataError, match=rf"did you mean {right}\?$"):
            load_graph(wrong)
    with pytest.raises(DataError, match=rf"did you mean {here}/data/people\?$"):
        load_graph(here / "data" / "peple")
    with pytest.raises(DataError, match="no folder nowhere/people or data/nowhere/people"):
        load_graph("nowhere/people")


def test_a_file_is_no_dataset(tmp_path: Path) -> None:
    (tmp_path / "facts.csv").write_text("a,r,b")
    with pytest.raises(DataError, match="`q2b data import` makes a dataset folder of it"):
        load_graph(tmp_path / "facts.csv")


@given(st.text(max_size=30))
def test_whatever_is_no_dataset_is_refused_as_such(name: str) -> None:
    if name not in BUILTIN and not Path(name).exists():
        with pytest.raises(DataError, match="there is no dataset"):
            load_graph(name)
