"""Graphs that grow: nothing that was there moves, and only what is new is added."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from families import families
from query2box.errors import DataError
from query2box.graph.growing import enlarge
from query2box.graph.interning import Interner
from query2box.graph.knowledge_graph import KnowledgeGraph
from query2box.graph.readers.reading import Reading, batched

TRIPLES = st.lists(
    st.tuples(st.sampled_from("abcdefg"), st.sampled_from("rst"), st.sampled_from("abcdefg")),
    min_size=1,
    max_size=12,
)


def graph_of(train: list[tuple[str, ...]], valid: list[tuple[str, ...]]) -> KnowledgeGraph:
    interner = Interner()
    splits = {"train": interner.rows(batched(train)), "valid": interner.rows(batched(valid))}
    return KnowledgeGraph(*interner.vocabularies(), splits, {0: "First"}, "letters")


def write(path: Path, triples: list[tuple[str, ...]]) -> Path:
    path.write_text("".join("\t".join(triple) + "\n" for triple in triples))
    return path


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TRIPLES, TRIPLES, TRIPLES)
def test_what_was_there_stays(tmp_path: Path, train, valid, added) -> None:
    train, valid = list(dict.fromkeys(train)), list(dict.fromkeys(valid))
    valid = [triple for triple in valid if triple not in train]
    before = graph_of(train, valid)
    source = write(tmp_path / "new.tsv", added)
    new = list(dict.fromkeys(t for t in added if t not in train and t not in valid))
    if not new:
        with pytest.raises(DataError, match=r"new\.tsv: the graph has all these edges already"):
            enlarge(before, [source], Reading(header=False))
        return
    growth = enlarge(before, [source], Reading(header=False))
    after = growth.graph
    assert list(after.entities)[: before.num_entities] == list(before.entities)
    assert list(after.relations)[: before.num_relations] == list(before.relations)
    assert list(after.triples("train")) == [*before.triples("train"), *new]
    assert list(after.triples("valid")) == list(before.triples("valid"))
    assert growth.edges.tolist() == after.edges_of("train")[len(train) :].tolist()
    assert growth.duplicates == len(added) - len(new)
    assert (after.name, after.labels) == ("letters", {0: "First"})
    # Every name is there for an edge of its own.
    assert set(after.entities) == {name for h, _, t in (*train, *valid, *new) for name in (h, t)}


def test_several_files_of_several_formats(tmp_path: Path) -> None:
    rdf = tmp_path / "new.nt"
    label = "<http://www.w3.org/2000/01/rdf-schema#label>"
    rdf.write_text(f'<u:x> <u:r> <u:y> .\n<u:x> {label} "Ex" .\n')
    table = write(tmp_path / "new.tsv", [("mother0", "likes", "u:x")])
    graph = enlarge(families(), [rdf, table], Reading()).graph
    assert graph.entities[-2:] == ("u:x", "u:y")
    assert graph.relations[-2:] == ("u:r", "likes")
    assert graph.label(graph.entity_id("u:x")) == "Ex"


def test_a_file_without_edges(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"new\.tsv: there are no edges to add"):
        enlarge(families(), [write(tmp_path / "new.tsv", [])], Reading())
