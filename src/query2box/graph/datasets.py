"""Datasets by the name of their folder or by the name they are built in under."""

from __future__ import annotations

from pathlib import Path

from query2box.errors import DataError
from query2box.graph.folder import Loaded, load_folder
from query2box.graph.knowledge_graph import KnowledgeGraph
from query2box.graph.vocabulary import nearest


def load_graph(source: str | Path) -> KnowledgeGraph:
    """The graph of a dataset folder or of a built-in dataset; a folder goes before."""
    return load_dataset(source).graph


def load_dataset(source: str | Path) -> Loaded:
    """The same, with the counts of what was left out."""
    from query2box.graph.builtin import BUILTIN

    path = Path(source)
    if path.is_dir():
        return load_folder(path)
    if path.is_file():
        raise DataError("this is a file; `q2b data import` makes a dataset folder of it", path)
    if str(source) in BUILTIN:
        return Loaded(BUILTIN[str(source)].load())
    near = nearest(str(source), list(BUILTIN))
    hint = f"; did you mean {near[0]}?" if near else ""
    built_in = ", ".join(BUILTIN)
    raise DataError(f"no folder and no built-in dataset {str(source)!r} ({built_in}){hint}")
