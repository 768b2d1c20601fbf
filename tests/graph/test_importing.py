from __future__ import annotations

from pathlib import Path

import pytest

from query2box.errors import DataError
from query2box.graph.importing import Imported, import_graph
from query2box.graph.knowledge_graph import SPLITS, Split
from query2box.graph.readers.reading import Reading
from query2box.graph.writers import write_triples

COMPLETE = [(f"e{h}", f"r{(h + t) % 3}", f"e{t}") for h in range(20) for t in range(20)]


def triples(imported: Imported, *splits: Split) -> list[tuple[str, str, str]]:
    return [triple for split in splits or SPLITS for triple in imported.graph.triples(split)]


@pytest.fixture
def facts(tmp_path: Path) -> Path:
    write_triples(tmp_path / "facts.csv", COMPLETE)
    return tmp_path / "facts.csv"


def test_shares_and_seeds(facts: Path) -> None:
    imported = import_graph([facts], Reading(), valid=0.1, test=0.2, seed=3)
    sizes = {s: len(imported.graph.edges_of(s)) for s in imported.graph.splits}
    assert sizes == {"train": 280, "valid": 40, "test": 80}
    assert sorted(triples(imported)) == sorted(COMPLETE)
    again = import_graph([facts], Reading(), valid=0.1, test=0.2, seed=3)
    assert triples(again) == triples(imported)
    other = import_graph([facts], Reading(), valid=0.1, test=0.2, seed=4)
    assert triples(other, "valid") != triples(imported, "valid")


def test_train_only(facts: Path) -> None:
    imported = import_graph([facts], Reading(), valid=0, test=0)
    assert imported.graph.splits == ("train",)
    assert triples(imported) == COMPLETE


def test_many_files_are_one_graph(tmp_path: Path) -> None:
    names = ["a.tsv", "b.csv", "c.nt", "d.parquet", "e.tsv.gz", "f.ttl"]
    for i, name in enumerate(names[:-1]):
        write_triples(tmp_path / name, COMPLETE[i * 80 : (i + 2) * 80])
    (tmp_path / "f.ttl").write_text(
        '<urn:q2b:e0> <http://www.w3.org/2000/01/rdf-schema#label> "0" .'
    )
    (tmp_path / "notes.md").write_text("not a graph")
    (tmp_path / ".hidden.tsv").write_text("not a graph")
    (tmp_path / "labels.tsv").write_text("e1\tone\nnobody\tx\n")
    (tmp_path / "entities.tsv").write_text("e1\n")
    imported = import_graph([tmp_path], Reading(), valid=0, test=0)
    assert triples(imported) == COMPLETE
    assert imported.duplicates == 320
    graph = imported.graph
    assert {graph.entities[e]: label for e, label in graph.labels.items()} == {
        "e0": "0",
        "e1": "one",
    }
    assert imported.unknown_labels == 1
    assert not imported.named_as_splits


def test_labels_given_go_before_labels_found(tmp_path: Path) -> None:
    (tmp_path / "a.ttl").write_text(
        '@prefix : <http://x/> . :a :r :b ; <http://schema.org/name> "found" .'
    )
    (tmp_path / "names").write_text("http://x/a\tgiven\n")
    imported = import_graph([tmp_path / "a.ttl"], Reading(), labels=tmp_path / "names")
    assert imported.graph.labels == {0: "given"}


def test_splits_are_kept(tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text("a\tr\tb\nb\tr\tc\n")
    (tmp_path / "valid.txt").write_text("a\tr\tc\na\tr\tb\nnew\tr\ta\n")
    (tmp_path / "test.txt").write_text("a\tnew\tc\na\tr\tnew\nc\tr\tc\n")
    imported = import_graph([tmp_path], Reading(), keep_splits=True)
    assert triples(imported, "train") == [("a", "r", "b"), ("b", "r", "c")]
    assert triples(imported, "valid") == [("a", "r", "c")]
    assert triples(imported, "test") == [("c", "r", "c")]
    assert (imported.dropped, imported.duplicates, imported.moved) == (3, 1, 0)
    assert list(imported.graph.entities) == ["a", "b", "c"]
    assert list(imported.graph.relations) == ["r"]
    assert import_graph([tmp_path], Reading()).named_as_splits


@pytest.mark.parametrize("names", [["valid.tsv"], ["train.tsv", "more.tsv"], ["facts.tsv"]])
def test_splits_that_cannot_be_kept(tmp_path: Path, names: list[str]) -> None:
    for name in names:
        write_triples(tmp_path / name, COMPLETE[:3])
    with pytest.raises(DataError, match="to keep splits, call the files"):
        import_graph([tmp_path], Reading(), keep_splits=True)


def test_nothing_to_import(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no files of edges in this folder"):
        import_graph([tmp_path], Reading())
    (tmp_path / "a.tsv").write_text("")
    with pytest.raises(DataError, match=r"a.tsv: there are no edges to import"):
        import_graph([tmp_path / "a.tsv"], Reading())
