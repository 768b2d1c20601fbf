"""Any files of edges as one knowledge graph with splits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np

from query2box.errors import DataError
from query2box.graph.adjacency import IntArray
from query2box.graph.duplicates import drop_duplicates
from query2box.graph.folder import by_id, read_labels
from query2box.graph.interning import Interner
from query2box.graph.knowledge_graph import SPLITS, KnowledgeGraph, Split
from query2box.graph.readers import SUFFIXES, plain_suffix, read_batches
from query2box.graph.readers.reading import Reading
from query2box.graph.split import check_shares, split_edges
from query2box.graph.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class Imported:
    """A graph out of files, and what became of the rest that was in them."""

    graph: KnowledgeGraph
    duplicates: int
    moved: int
    """Edges drawn for validation or test that training needs."""
    dropped: int
    """Edges of kept validation and test files that training knows too little about."""
    unknown_labels: int
    named_as_splits: bool
    """Whether the files are called train, valid and test."""


def import_graph(
    sources: Sequence[str | Path],
    reading: Reading,
    *,
    valid: float = 0.1,
    test: float = 0.1,
    seed: int = 0,
    keep_splits: bool = False,
    labels: str | Path | None = None,
) -> Imported:
    """The graph of files and of folders of files.

    It is split at random from a seed or, to keep splits, by the names of the
    files. What `reading` found beside edges stays with it.
    """
    check_shares(valid, test)
    files, label_files = _find(sources, reading)
    named = _by_split(files)
    if keep_splits and "train" not in named:
        raise DataError("to keep splits, call the files train and valid or test")
    found_labels: dict[str, str] = {}
    for path in [*label_files, *([] if labels is None else [Path(labels)])]:
        found_labels.update(read_labels(path))

    splits, dropped, (entities, relations) = _read(
        named if keep_splits else {"train": files}, reading
    )
    if not len(splits["train"]):
        raise DataError("there are no edges to import", sources[0] if len(sources) == 1 else None)
    splits, duplicates = drop_duplicates(splits, len(entities), len(relations))
    moved = 0
    if not keep_splits:
        rng = np.random.default_rng(seed)
        splits, moved = split_edges(splits["train"], valid, test, rng)
    found_labels = reading.labels | found_labels
    known = by_id(found_labels, entities)
    return Imported(
        KnowledgeGraph(entities, relations, splits, known),
        duplicates=sum(duplicates.values()),
        moved=moved,
        dropped=dropped,
        unknown_labels=len(found_labels) - len(known),
        named_as_splits=len(named) > 1,
    )


def _find(sources: Sequence[str | Path], reading: Reading) -> tuple[list[Path], list[Path]]:
    """The files to read edges from, and those that hold labels."""
    files: list[Path] = []
    labels: list[Path] = []
    for source in map(Path, sources):
        if not source.is_dir():
            files.append(source)
            continue
        inside = [
            path
            for path in sorted(source.iterdir())
            if path.is_file() and (reading.file_format or plain_suffix(path) in SUFFIXES)
        ]
        by_stem = {path: _stem(path) for path in inside if not path.name.startswith(".")}
        labels += [path for path, stem in by_stem.items() if stem == "labels"]
        edges = [
            p for p, stem in by_stem.items() if stem not in ("entities", "relations", "labels")
        ]
        if not edges:
            raise DataError("no files of edges in this folder", source)
        files += edges
    return files, labels


def _stem(path: Path) -> str:
    return path.name.partition(".")[0]


def _by_split(files: list[Path]) -> dict[Split, list[Path]]:
    """The files by the splits they are called after; empty if one is called otherwise."""
    named: dict[Split, list[Path]] = {}
    for split in SPLITS:
        if called := [path for path in files if _stem(path) == split]:
            named[split] = called
    return named if sum(map(len, named.values())) == len(files) else {}


def _read(
    files: dict[Split, list[Path]], reading: Reading
) -> tuple[dict[Split, IntArray], int, tuple[Vocabulary, Vocabulary]]:
    """Splits without the edges that name what training lacks, their number, and the names.

    As the paper does with the validation and test edges it was given.
    """
    interner = Interner()

    def rows(paths: list[Path]) -> IntArray:
        return interner.rows(chain.from_iterable(read_batches(path, reading) for path in paths))

    splits: dict[Split, IntArray] = {"train": rows(files["train"])}
    entities, relations = interner.vocabularies()
    dropped = 0
    for split, paths in files.items():
        if split != "train":
            edges = rows(paths)
            known = (edges < (len(entities), len(relations), len(entities))).all(axis=1)
            splits[split] = edges[known]
            dropped += len(edges) - len(splits[split])
    return splits, dropped, (entities, relations)
