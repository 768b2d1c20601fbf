from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from query2box.errors import DataError
from query2box.graph.folder import load_folder, save_graph
from query2box.graph.knowledge_graph import SPLITS, KnowledgeGraph, Split
from query2box.graph.vocabulary import Vocabulary

NAME = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\t\n\r"), min_size=1
).filter(lambda name: name[0] not in "\ufeff^")


def write(folder: Path, **files: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.tsv").write_bytes(text.encode())
    return folder


@st.composite
def named_graphs(draw: st.DrawFn) -> KnowledgeGraph:
    entities = draw(st.lists(NAME, unique=True, min_size=1, max_size=6))
    relations = draw(st.lists(NAME, unique=True, min_size=1, max_size=3))
    entity = st.integers(0, len(entities) - 1)
    edge = st.tuples(entity, st.integers(0, len(relations) - 1), entity)
    edges = draw(st.lists(edge, unique=True, min_size=1, max_size=12))
    rows = np.array(edges, np.int32)
    cuts = sorted(draw(st.tuples(st.integers(1, len(edges)), st.integers(1, len(edges)))))
    splits: dict[Split, np.ndarray] = dict(zip(SPLITS, np.split(rows, cuts), strict=True))
    labels = draw(st.dictionaries(entity, NAME))
    return KnowledgeGraph(
        Vocabulary("entity", entities), Vocabulary("relation", relations), splits, labels
    )


@settings(max_examples=40)  # each waits for a disk a dozen times
@given(graph=named_graphs())
def test_a_graph_comes_back(
    graph: KnowledgeGraph, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("dataset") / "data"
    save_graph(graph, folder)
    loaded = load_folder(folder)
    assert loaded.graph.entities == graph.entities
    assert loaded.graph.relations == graph.relations
    assert loaded.graph.labels == graph.labels
    for split in SPLITS:
        assert loaded.graph.edges_of(split).tolist() == graph.edges_of(split).tolist()
    assert sum(loaded.duplicates.values()) == loaded.unknown_labels == 0
    save_graph(loaded.graph, folder)
    assert load_folder(folder).graph.edges.tolist() == graph.edges.tolist()


def test_ids_follow_first_appearance(tmp_path: Path) -> None:
    graph = load_folder(
        write(tmp_path / "d", train="z\tr\ta\na\tq\tm\n", valid="new\tr\tz\n")
    ).graph
    assert list(graph.entities) == ["z", "a", "m", "new"]
    assert list(graph.relations) == ["r", "q"]
    assert graph.name == "d"


def test_listed_names_fix_the_order(tmp_path: Path) -> None:
    folder = write(tmp_path / "d", train="z\tr\ta\n", entities="a\nlonely\nz\n", relations="q\nr\n")
    graph = load_folder(folder, "given").graph
    assert list(graph.entities) == ["a", "lonely", "z"]
    assert graph.edges.tolist() == [[2, 1, 0]]
    assert graph.name == "given"


def test_gzipped_files(tmp_path: Path) -> None:
    write(tmp_path, valid="a\tr\ta\n")
    (tmp_path / "train.tsv.gz").write_bytes(gzip.compress(b"a\tr\tb\n"))
    (tmp_path / "entities.tsv.gz").write_bytes(gzip.compress(b"b\na\n"))
    graph = load_folder(tmp_path).graph
    assert graph.train.edges.tolist() == [[1, 0, 0]]
    assert graph.splits == ("train", "valid")


def test_duplicates_are_counted_and_the_first_split_wins(tmp_path: Path) -> None:
    folder = write(
        tmp_path,
        train="a\tr\tb\na\tr\tb\n",
        valid="a\tr\tb\nb\tr\ta\n",
        test="b\tr\ta\na\tr\tb\na\tr\ta\n",
    )
    loaded = load_folder(folder)
    assert loaded.duplicates == {"train": 1, "valid": 1, "test": 2}
    assert {s: list(loaded.graph.triples(s)) for s in SPLITS} == {
        "train": [("a", "r", "b")],
        "valid": [("b", "r", "a")],
        "test": [("a", "r", "a")],
    }


def test_labels_of_nobody_are_counted(tmp_path: Path) -> None:
    text = "a\tLabel of a\nnobody\tx\n\na\tanother\n"
    loaded = load_folder(write(tmp_path, train="a\tr\tb\n", labels=text))
    assert loaded.graph.labels == {0: "Label of a"}
    assert loaded.unknown_labels == 1


def test_a_header_is_an_edge_here(tmp_path: Path) -> None:
    graph = load_folder(write(tmp_path, train="head\trelation\ttail\n")).graph
    assert list(graph.triples("train")) == [("head", "relation", "tail")]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "no train.tsv and no train.tsv.gz in this folder"),
        ({"valid": "a\tr\tb\n"}, "no train.tsv"),
        ({"train": ""}, "train.tsv: there are no edges in this file"),
        ({"train": "\n\n", "valid": "a\tr\tb\n"}, "train.tsv: there are no edges"),
        ({"train": "a\tr\n"}, "train.tsv:1: 3 columns expected, 2 found"),
        ({"train": "a\tr\tb\n", "valid": "a\tr\tb\n\tr\tb\n"}, "valid.tsv:2: a name is empty"),
        ({"train": "a\tr\tb\na\t^r\tb\n"}, "train.tsv:2: the relation '^r' begins with ^"),
        (
            {"train": "a\tr\tb\n\na\tr\tx\n", "entities": "a\nb\n"},
            "train.tsv:3: the entity 'x' is not listed in entities.tsv",
        ),
        (
            {"train": "a\tr\tb\nr\ta\tr\n", "relations": "r\n"},
            "train.tsv:2: the relation 'a' is not listed in relations.tsv",
        ),
        (
            {"train": "a\tr\tb\n", "valid": "a\tr\tb\nx\tr\tb\n", "entities": "a\nb\n"},
            "valid.tsv:2: the entity 'x' is not listed",
        ),
        ({"train": "a\tr\tb\n", "entities": "a\nb\na\n"}, "entities.tsv:3: the entity 'a' stands"),
        ({"train": "a\tr\tb\n", "entities": "a\n\nb\n"}, "entities.tsv:2: a name is empty"),
        ({"train": "a\tr\tb\n", "entities": "a\t0\nb\t1\n"}, "entities.tsv:1: the name 'a\\t0'"),
        ({"train": "a\tr\tb\n", "relations": "r\n^r\n"}, "relations.tsv:2: the relation '^r'"),
        ({"train": "a\tr\tb\n", "labels": "a\n"}, "labels.tsv:1: an entity and its label"),
        ({"train": "a\tr\tb\n", "labels": "a\tA\nb\t\n"}, "labels.tsv:2: an entity and its"),
    ],
)
def test_folders_that_are_no_dataset(tmp_path: Path, files: dict[str, str], message: str) -> None:
    with pytest.raises(DataError) as caught:
        load_folder(write(tmp_path, **files))
    assert message in str(caught.value)


def test_two_files_for_one_split(tmp_path: Path) -> None:
    write(tmp_path, train="a\tr\tb\n")
    (tmp_path / "train.tsv.gz").write_bytes(gzip.compress(b"a\tr\tb\n"))
    with pytest.raises(DataError, match="which one counts"):
        load_folder(tmp_path)


@pytest.mark.parametrize(
    ("entity", "relation", "label"),
    [
        ("a\tb", "r", "x"),
        ("a\nb", "r", "x"),
        ("\ufeffa", "r", "x"),
        ("", "r", "x"),
        ("a", "", "x"),
        ("a", "^r", "x"),
        ("a", "r", "x\ty"),
    ],
)
def test_names_that_no_file_can_hold(
    tmp_path: Path, entity: str, relation: str, label: str
) -> None:
    graph = KnowledgeGraph(
        Vocabulary("entity", ["z", entity]),
        Vocabulary("relation", [relation]),
        {"train": np.array([[0, 0, 0]], np.int32)},
        {0: label},
    )
    with pytest.raises(DataError, match="cannot write this graph: "):
        save_graph(graph, tmp_path / "data")
    assert list(tmp_path.iterdir()) == []


def test_query_files_are_not_lost(tmp_path: Path) -> None:
    folder = write(tmp_path / "d", train="a\tr\tb\n")
    graph = load_folder(folder).graph
    (folder / "valid-queries.jsonl").write_text("{}")
    with pytest.raises(DataError, match=r"holds 'valid-queries.jsonl' already"):
        save_graph(graph, folder)
    assert (folder / "valid-queries.jsonl").read_text() == "{}"


def test_fb15k_237(shared_data: Path) -> None:
    loaded = load_folder(shared_data / "FB15k-237")
    graph = loaded.graph
    assert (graph.num_entities, graph.num_relations) == (14_505, 237)
    assert (len(graph.edges_of("train")), len(graph.edges_of("valid"))) == (272_115, 17_526)
    assert len(graph.labels) == 14_505 - 26
    assert sum(loaded.duplicates.values()) == loaded.unknown_labels == 0
