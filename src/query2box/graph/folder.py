"""The dataset folder.

    train.tsv                   head, relation, tail
    valid.tsv, test.tsv         the same; optional
    entities.tsv, relations.tsv one name a line, in id order; optional
    labels.tsv                  entity, readable name; optional

Each may be gzipped. Query files may stand beside them.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from query2box.errors import DataError
from query2box.graph.adjacency import IntArray
from query2box.graph.duplicates import drop_duplicates
from query2box.graph.files import atomic_folder
from query2box.graph.interning import Interner, UnlistedNameError
from query2box.graph.knowledge_graph import SPLITS, KnowledgeGraph, Split
from query2box.graph.readers import read_batches
from query2box.graph.readers.lines import numbered_lines
from query2box.graph.readers.reading import Reading, name_fault, relation_fault
from query2box.graph.vocabulary import Vocabulary
from query2box.graph.writers import write_tsv

_NAMES = (*SPLITS, "entities", "relations", "labels")
_FILES = frozenset(f"{name}.tsv{gz}" for name in _NAMES for gz in ("", ".gz"))


@dataclass(frozen=True, slots=True)
class Loaded:
    """A graph from a folder, and what the folder held in vain."""

    graph: KnowledgeGraph
    duplicates: dict[Split, int] = field(default_factory=dict)
    unknown_labels: int = 0


def load_folder(folder: str | Path, name: str = "") -> Loaded:
    """Read a dataset folder."""
    folder = Path(folder)
    files = {name: path for name in _NAMES if (path := _find(folder, name))}
    if "train" not in files:
        raise DataError("no train.tsv and no train.tsv.gz in this folder", folder)
    interner = Interner(
        _read_vocabulary("entity", files.get("entities")),
        _read_vocabulary("relation", files.get("relations")),
    )
    splits = {split: _read_split(files[split], interner) for split in SPLITS if split in files}
    if not len(splits["train"]):
        raise DataError("there are no edges in this file", files["train"])
    entities, relations = interner.vocabularies()
    splits, duplicates = drop_duplicates(splits, len(entities), len(relations))
    labels = read_labels(files["labels"]) if "labels" in files else {}
    known = by_id(labels, entities)
    graph = KnowledgeGraph(entities, relations, splits, known, name or folder.resolve().name)
    return Loaded(graph, duplicates, len(labels) - len(known))


def save_graph(graph: KnowledgeGraph, folder: str | Path) -> None:
    """Write a dataset folder, whole or not at all; a dataset that was there is replaced."""
    with new_folder(folder) as new:
        write_graph(graph, new)


def new_folder(folder: str | Path) -> AbstractContextManager[Path]:
    """A folder to write a dataset into, which takes its place only once it is whole.

    A folder that holds more than a dataset is refused; its query files would be lost.
    """
    return atomic_folder(folder, replaceable=_FILES)


def write_graph(graph: KnowledgeGraph, folder: Path) -> None:
    """Write the files of a dataset folder."""
    entities, relations, labels = graph.entities, graph.relations, sorted(graph.labels.items())
    # Each name is checked once here, not once an edge.
    for trouble in chain(
        map(name_fault, entities),
        map(relation_fault, relations),
        (name_fault(label) for _, label in labels),
    ):
        if trouble:
            raise DataError(f"cannot write this graph: {trouble}")
    for split in graph.splits:
        write_tsv(folder / f"{split}.tsv", graph.triples(split))
    write_tsv(folder / "entities.tsv", ([name] for name in entities))
    write_tsv(folder / "relations.tsv", ([name] for name in relations))
    if labels:
        write_tsv(folder / "labels.tsv", ((entities[e], label) for e, label in labels))


def read_labels(path: Path) -> dict[str, str]:
    """The readable names in a file of entity, label; the first of an entity counts."""
    labels: dict[str, str] = {}
    for line, text in numbered_lines(path):
        cells = text.split("\t")
        if len(cells) == 2 and all(cells):
            labels.setdefault(*cells)
        elif text:
            raise DataError("an entity and its label expected", path, line)
    return labels


def by_id(labels: Mapping[str, str], entities: Vocabulary) -> dict[int, str]:
    """The labels of those entities that there are."""
    return {e: label for name, label in labels.items() if (e := entities.get(name)) is not None}


def _find(folder: Path, name: str) -> Path | None:
    found = [path for gz in ("", ".gz") if (path := folder / f"{name}.tsv{gz}").is_file()]
    if len(found) == 2:
        raise DataError(f"both {name}.tsv and {name}.tsv.gz are there; which one counts?", folder)
    return found[0] if found else None


def _read_vocabulary(kind: str, path: Path | None) -> Vocabulary | None:
    """The names of a file in id order, the line number, from 0, being the id."""
    if path is None:
        return None
    lines: dict[str, int] = {}
    for line, name in numbered_lines(path):
        trouble = relation_fault(name) if kind == "relation" else name_fault(name)
        if trouble is None and name in lines:
            trouble = f"the {kind} {name!r} stands on line {lines[name]} already"
        if trouble is not None:
            raise DataError(trouble, path, line)
        lines[name] = line
    return Vocabulary(kind, lines)


def _read_split(path: Path, interner: Interner) -> IntArray:
    try:
        # A header would be an edge like any other: the folder's files have none.
        return interner.rows(read_batches(path, Reading(header=False)))
    except UnlistedNameError:
        for line, text in numbered_lines(path):
            if text and (unlisted := interner.unlisted(*text.split("\t"))):
                kind, name = unlisted
                listing = "entities.tsv" if kind == "entity" else "relations.tsv"
                message = f"the {kind} {name!r} is not listed in {listing}"
                raise DataError(message, path, line) from None
        raise
