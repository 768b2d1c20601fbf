"""WordNet 3.0 as a knowledge graph, read from its database files.

The format is that of wndb(5WN): `data.*` has a line for each synset with its words
and its pointers to others, `index.*` a line for each word with its synsets in order
of sense. A synset is named as usual, after its first word: `dog.n.01`.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np

from query2box.errors import DataError
from query2box.graph.adjacency import IntArray
from query2box.graph.builtin.held_out import hold_out, pair_groups
from query2box.graph.files import open_text
from query2box.graph.knowledge_graph import KnowledgeGraph
from query2box.graph.vocabulary import Vocabulary

# Of two inverse pointers the one from the special to the general; the other follows.
POINTERS = {
    "@": "hypernym",
    "@i": "instance_hypernym",
    "#m": "member_holonym",
    "#p": "part_holonym",
    "#s": "substance_holonym",
    ";c": "topic_domain",
    ";r": "region_domain",
    ";u": "usage_domain",
    "*": "entails",
    ">": "causes",
    "<": "participle_of",
    "\\": "pertains_to",
    # Symmetric, also_see not always.
    "!": "antonym",
    "&": "similar_to",
    "$": "verb_group",
    "=": "attribute",
    "^": "also_see",
    "+": "derivationally_related",
}
INVERSES = frozenset(("~", "~i", "%m", "%p", "%s", "-c", "-r", "-u"))

PLACES = (
    "/usr/share/wordnet",
    "/usr/share/wordnet/dict",
    "/usr/local/WordNet-3.0/dict",
    "/usr/share/nltk_data/corpora/wordnet",
    "~/nltk_data/corpora/wordnet",
)
_PARTS = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
_FILES = tuple(f"{kind}.{part}" for kind in ("data", "index") for part in _PARTS.values())
_SEED = 2006


def find_wordnet() -> Path | None:
    """The folder of the database files: $Q2B_WORDNET or one of the usual places."""
    for folder in _places():
        if all((folder / name).is_file() for name in _FILES):
            return folder
    return None


def load_wordnet() -> KnowledgeGraph:
    """The graph of the WordNet that is installed here."""
    folder = find_wordnet()
    if folder is None:
        raise DataError(
            f"no WordNet database in {', '.join(map(str, _places()))}; install the package "
            "wordnet-base or set Q2B_WORDNET to the folder that has data.noun"
        )
    return read_wordnet(folder)


def read_wordnet(folder: Path) -> KnowledgeGraph:
    """The graph of a folder of database files, without the synsets that no pointer links."""
    ids: dict[str, int] = {}
    names: list[str] = []
    labels: list[str] = []
    for part in _PARTS:
        senses = _read_senses(folder, part)
        for place, synset in _read_synsets(folder, part):
            if ids.setdefault(part + synset.offset, len(names)) != len(names):
                raise DataError(f"the synset {synset.offset} stands here twice", *place)
            names.append(_name(synset, senses, place))
            labels.append(", ".join(word.replace("_", " ") for word in synset.words))
    edges = _read_edges(folder, ids)
    if not len(edges):
        raise DataError("no synset here points to another", folder)
    linked, ends = np.unique(edges[:, [0, 2]], return_inverse=True)
    edges[:, [0, 2]] = ends.reshape(-1, 2)
    return KnowledgeGraph(
        Vocabulary("entity", (names[i] for i in linked)),
        Vocabulary("relation", POINTERS.values()),
        hold_out(edges, pair_groups(edges), valid=0.05, test=0.05, seed=_SEED),
        {entity: labels[i] for entity, i in enumerate(linked)},
        "wordnet",
    )


def _places() -> list[Path]:
    place = os.environ.get("Q2B_WORDNET")
    return [Path(p).expanduser() for p in ([place] if place else PLACES)]


_Place: TypeAlias = tuple[Path, int]


class _Synset(NamedTuple):
    offset: str
    kind: str
    words: list[str]
    pointers: list[tuple[str, str]]  # symbol, part of speech and offset


def _name(synset: _Synset, senses: dict[str, list[str]], place: _Place) -> str:
    """First word, kind and sense, e.g. `dog.n.01`; senses count from 1 in a word's own order."""
    word = synset.words[0].lower()
    try:
        return f"{word}.{synset.kind}.{senses[word].index(synset.offset) + 1:02}"
    except (KeyError, ValueError):
        raise DataError(f"the index lacks the word {word!r} of this synset", *place) from None


def _read_edges(folder: Path, ids: dict[str, int]) -> IntArray:
    """Rows of (synset, relation, synset), each once, none from a synset to itself."""
    relations = {symbol: i for i, symbol in enumerate(POINTERS)}
    rows = array("i")
    for part in _PARTS:
        for place, synset in _read_synsets(folder, part):
            source = ids[part + synset.offset]
            for symbol, key in synset.pointers:
                if symbol in INVERSES:
                    continue
                if symbol not in relations:
                    raise DataError(f"unknown pointer {symbol!r}", *place)
                target = ids.get(key)
                if target is None:
                    raise DataError(f"there is no synset {key[1:]} of kind {key[0]}", *place)
                if source != target:
                    rows.extend((source, relations[symbol], target))
    edges = np.array(rows, np.int32).reshape(-1, 3)
    return np.unique(edges, axis=0)


def _read_synsets(folder: Path, part: str) -> Iterator[tuple[_Place, _Synset]]:
    for place, fields in _read_fields(folder / f"data.{_PARTS[part]}"):
        try:
            synset = _parse_synset(fields)
        except (IndexError, ValueError):
            raise DataError("this is no synset of a WordNet database", *place) from None
        yield place, synset


def _parse_synset(fields: list[str]) -> _Synset:
    """Offset, file, kind, words with their ids, pointers; then perhaps verb frames."""
    first = 5 + 2 * int(fields[3], 16)
    after = first + 4 * int(fields[first - 1])
    if not 5 < first <= after <= len(fields) or fields[2] not in {*_PARTS, "s"}:
        raise ValueError
    return _Synset(
        fields[0],
        fields[2],
        [word.partition("(")[0] for word in fields[4 : first - 1 : 2]],
        [
            (symbol, part.replace("s", "a") + offset)
            for symbol, offset, part in zip(
                fields[first:after:4],
                fields[first + 1 : after : 4],
                fields[first + 2 : after : 4],
                strict=True,
            )
        ],
    )


def _read_senses(folder: Path, part: str) -> dict[str, list[str]]:
    """The offsets of each word's synsets, in order of sense."""
    senses: dict[str, list[str]] = {}
    for place, fields in _read_fields(folder / f"index.{_PARTS[part]}"):
        try:
            count = int(fields[2])
            senses[fields[0]] = fields[-count:]
        except (IndexError, ValueError):
            raise DataError("this is no word of a WordNet index", *place) from None
    return senses


def _read_fields(path: Path) -> Iterator[tuple[_Place, list[str]]]:
    """The fields of each line, without the gloss; the licence on top begins with spaces."""
    with open_text(path) as lines:
        for number, line in enumerate(lines, 1):
            if not line.startswith("  "):
                yield (path, number), line.partition("|")[0].split()
