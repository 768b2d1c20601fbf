from __future__ import annotations

import numpy as np
import pytest

from query2box.errors import DataError
from query2box.graph.builtin import BUILTIN
from query2box.graph.builtin.wordnet import INVERSES, POINTERS, find_wordnet, read_wordnet
from query2box.graph.knowledge_graph import KnowledgeGraph

LICENCE = "  1 This software and database is being provided to you\n  2   \n"
FILES = {
    "data.noun": [
        "00000001 03 n 01 animal 0 001 ~ 00000002 n 0000 | a living being  ",
        (
            "00000002 05 n 02 dog 0 my_dog 1 003 @ 00000001 n 0000 #m 00000003 n 0000 "
            "+ 00000001 v 0101 | a bar | in the gloss is no field  "
        ),
        "00000003 14 n 01 pack 2 001 %m 00000002 n 0000 | many dogs  ",
    ],
    "data.verb": [
        "00000001 38 v 01 dog 0 001 + 00000002 n 0101 01 + 08 00 | go after  ",
        "00000002 38 v 01 tag 0 000 01 + 08 00 | linked to nothing  ",
    ],
    "data.adj": [
        "00000001 00 a 01 big(p) 0 002 & 00000002 a 0000 ! 00000003 a 0101 | large  ",
        "00000002 00 s 01 huge 0 001 & 00000001 a 0000 | very big  ",
        "00000003 00 a 01 small 0 003 ! 00000001 a 0101 ! 00000001 a 0101 ^ 00000003 a 0000 | tiny",
    ],
    "data.adv": ["00000001 02 r 0b " + "x 0 " * 11 + "001 \\ 00000001 a 0101 | eleven words  "],
    "index.noun": [
        "animal n 1 1 ~ 1 0 00000001  ",
        "my_dog n 1 1 @ 1 0 00000002  ",
        "dog n 2 1 @ 2 0 00000009 00000002  ",
        "pack n 1 1 %m 1 0 00000003  ",
    ],
    "index.verb": ["dog v 1 1 + 1 0 00000001  ", "tag v 1 0 1 0 00000002  "],
    "index.adj": [
        "big a 1 2 & ! 1 0 00000001  ",
        "huge a 1 1 & 1 0 00000002  ",
        "small a 1 1 ! 1 0 00000003  ",
    ],
    "index.adv": ["x r 1 1 \\ 1 0 00000001  "],
}


@pytest.fixture
def folder(tmp_path):
    for name, lines in FILES.items():
        (tmp_path / name).write_text(LICENCE + "".join(line + "\n" for line in lines))
    return tmp_path


def triples(graph):
    return {triple for split in graph.splits for triple in graph.triples(split)}


def test_a_small_database(folder):
    graph = read_wordnet(folder)
    assert triples(graph) == {
        ("dog.n.02", "hypernym", "animal.n.01"),
        ("dog.n.02", "member_holonym", "pack.n.01"),
        ("dog.n.02", "derivationally_related", "dog.v.01"),
        ("dog.v.01", "derivationally_related", "dog.n.02"),
        ("big.a.01", "similar_to", "huge.s.01"),
        ("huge.s.01", "similar_to", "big.a.01"),
        ("big.a.01", "antonym", "small.a.01"),
        ("small.a.01", "antonym", "big.a.01"),
        ("x.r.01", "pertains_to", "big.a.01"),
    }
    assert graph.label(graph.entity_id("dog.n.02")) == "dog, my dog"
    assert graph.label(graph.entity_id("big.a.01")) == "big"
    assert "tag.v.01" not in graph.entities


@pytest.mark.parametrize(
    "name, line, bad, message",
    [
        ("data.noun", 3, "", "no synset"),
        ("data.noun", 4, "00000002 05 n 02 dog 0 Canis_familiaris", "no synset"),
        ("data.noun", 5, "00000003 14 n zz pack 2 001 %m 00000002 n 0000 |", "no synset"),
        ("data.noun", 5, "00000003 14 n 01 pack 2 002 %m 00000002 n 0000 |", "no synset"),
        ("data.noun", 5, "00000003 14 n 01 pack 2 -01 %m 00000002 n 0000 |", "no synset"),
        ("data.noun", 5, "00000003 14 n 00 000 |", "no synset"),
        ("data.noun", 5, "00000003 14 nv 01 pack 2 000 |", "no synset"),
        ("data.noun", 5, "00000003 14 n 01 pack 2 001 @ 00000004 n 0000 |", "no synset 00000004"),
        ("data.noun", 5, "00000003 14 n 01 pack 2 001 @ 00000002 q 0000 |", "no synset 00000002"),
        ("data.noun", 5, "00000003 14 n 01 pack 2 001 ? 00000002 n 0000 |", "pointer '?'"),
        ("data.noun", 5, "00000003 14 n 01 herd 2 000 |", "the word 'herd'"),
        ("data.noun", 5, "00000001 14 n 01 animal 0 000 |", "stands here twice"),
        ("index.noun", 6, "pack n one", "no word"),
        ("index.adv", 3, "x", "no word"),
        ("index.verb", 4, "tag v 1 0 1 0 00000007", "the word 'tag'"),
    ],
)
def test_a_bad_line_is_named(folder, name, line, bad, message):
    lines = (folder / name).read_text().splitlines()
    lines[line - 1] = bad
    (folder / name).write_text("\n".join(lines) + "\n")
    with pytest.raises(DataError, match=message) as caught:
        read_wordnet(folder)
    where = (name.replace("index", "data"), line) if "the word" in message else (name, line)
    assert (caught.value.path, caught.value.line) == (str(folder / where[0]), where[1])


def test_bytes_that_are_no_text_are_named(folder):
    path = folder / "data.verb"
    path.write_bytes(path.read_bytes() + b"\xff\xfe\n")
    with pytest.raises(DataError, match="UTF-8") as caught:
        read_wordnet(folder)
    assert (caught.value.path, caught.value.line) == (str(path), 5)


def test_a_database_without_synsets_is_refused(folder):
    for name in FILES:
        (folder / name).write_text(LICENCE)
    with pytest.raises(DataError, match="no synset here points to another"):
        read_wordnet(folder)


def test_it_is_found_where_the_variable_says(folder, monkeypatch):
    monkeypatch.setenv("Q2B_WORDNET", str(folder))
    assert find_wordnet() == folder
    assert BUILTIN["wordnet"].available()
    assert triples(KnowledgeGraph.load("wordnet")) == triples(read_wordnet(folder))


def test_its_absence_is_explained(folder, monkeypatch):
    (folder / "index.adv").unlink()
    monkeypatch.setenv("Q2B_WORDNET", str(folder))
    assert not BUILTIN["wordnet"].available()
    with pytest.raises(DataError, match="install the package wordnet-base") as caught:
        BUILTIN["wordnet"].load()
    assert str(folder) in str(caught.value)


def test_no_pointer_is_both_kept_and_inverse():
    assert not POINTERS.keys() & INVERSES
    assert len(set(POINTERS.values())) == len(POINTERS)


# The real one


@pytest.fixture(scope="module")
def wordnet():
    found = find_wordnet()
    if found is None:
        pytest.skip("no WordNet database here; the package wordnet-base has it")
    if "WordNet 3.0 Copyright" not in (found / "data.noun").read_text("utf-8")[:4000]:
        pytest.skip(f"the WordNet database in {found} is not of version 3.0")
    return BUILTIN["wordnet"].load()


def test_the_real_counts(wordnet):
    assert (wordnet.num_entities, wordnet.num_relations) == (116_650, 18)
    assert [len(wordnet.edges_of(s)) for s in wordnet.splits] == [211_853, 11_770, 11_770]
    counts = np.bincount(wordnet.edges[:, 1])
    assert counts[wordnet.relations.id("hypernym")] == 89_089
    assert counts[wordnet.relations.id("derivationally_related")] == 63_649
    assert all(relation.replace("_", "").isalpha() for relation in wordnet.relations)


def test_the_real_splits(wordnet):
    train = wordnet.edges_of("train")
    assert len(np.unique(train[:, [0, 2]])) == wordnet.num_entities
    assert len(np.unique(train[:, 1])) == wordnet.num_relations
    pairs = [
        np.unique(np.sort(wordnet.edges_of(split)[:, [0, 2]], axis=1), axis=0)
        for split in wordnet.splits
    ]
    assert len(np.unique(np.concatenate(pairs), axis=0)) == sum(map(len, pairs))
    assert len(np.unique(wordnet.edges, axis=0)) == wordnet.num_edges


@pytest.mark.parametrize(
    "head, relation, tails",
    [
        ("dog.n.01", "hypernym", {"canine.n.02", "domestic_animal.n.01"}),
        ("dog.n.01", "member_holonym", {"canis.n.01", "pack.n.06"}),
        ("einstein.n.01", "instance_hypernym", {"physicist.n.01"}),
        ("paris.n.01", "part_holonym", {"france.n.01"}),
        ("good.a.01", "antonym", {"bad.a.01"}),
        ("bad.a.01", "antonym", {"good.a.01"}),
        ("snore.v.01", "entails", {"sleep.v.01"}),
        ("kill.v.01", "causes", {"die.v.01"}),
        ("quickly.r.01", "pertains_to", {"quick.s.01", "rapid.s.01"}),
    ],
)
def test_well_known_senses(wordnet, head, relation, tails):
    found = wordnet.adjacency.find(wordnet.entity_id(head), wordnet.relation_id(relation))
    assert {wordnet.entities[e] for e in found} == tails


def test_labels_are_the_words(wordnet):
    assert wordnet.label(wordnet.entity_id("dog.n.01")) == "dog, domestic dog, Canis familiaris"
    assert len(wordnet.labels) == wordnet.num_entities
