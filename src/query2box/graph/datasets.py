"""Datasets by their folder, by the name they are built in under, or by their folder's name."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from query2box.errors import DataError
from query2box.graph.folder import Loaded, load_folder
from query2box.graph.knowledge_graph import KnowledgeGraph
from query2box.graph.vocabulary import nearest

DATA = Path("data")
"""Where datasets are looked for by name; the folder of `Q2B_SHARED` may have another."""


def load_graph(source: str | Path) -> KnowledgeGraph:
    """The graph of a dataset."""
    return load_dataset(source).graph


def load_dataset(source: str | Path) -> Loaded:
    """The same, with the counts of what was left out."""
    from query2box.graph.builtin import BUILTIN

    found = locate(source)
    if not Path(found).is_dir():
        return Loaded(BUILTIN[found].load())
    return load_folder(found)


def locate(source: str | Path) -> str:
    """The folder of a dataset, or its built-in name.

    A folder goes before a built-in name, and that before the name of a folder in
    `data` or in `$Q2B_SHARED/data`.
    """
    from query2box.graph.builtin import BUILTIN

    source = str(source)
    if Path(source).is_dir() or source in BUILTIN:
        return source
    if Path(source).is_file():
        raise DataError("this is a file; `q2b data import` makes a dataset folder of it", source)
    folders = [place / source for place in _places()]
    for folder in folders:
        if folder.is_dir():
            return str(folder)
    looked = " or ".join(dict.fromkeys(map(str, (source, *folders))))
    built_in = ", ".join(BUILTIN)
    near = nearest(source, list(dict.fromkeys((*BUILTIN, *_neighbours(Path(source))))))
    hint = f"; did you mean {near[0]}?" if near else ""
    raise DataError(
        f"there is no dataset {source!r}: no folder {looked}, none built in ({built_in}){hint}"
    )


def _places() -> Iterator[Path]:
    """The folders whose folders go by their name alone."""
    yield DATA
    if shared := os.environ.get("Q2B_SHARED"):
        yield Path(shared) / DATA


def _neighbours(source: Path) -> Iterator[str]:
    """The datasets that stand where this one was looked for, as one would ask for them."""
    for place in (Path(), *_places()):
        for train in (place / source).parent.glob("*/train.tsv*"):
            yield str(source.with_name(train.parent.name))
