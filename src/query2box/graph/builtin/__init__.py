"""The datasets that need no file of the user's: `countries`, `wordnet`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import as_file, files

from query2box.graph.builtin.wordnet import find_wordnet, load_wordnet
from query2box.graph.folder import load_folder
from query2box.graph.knowledge_graph import KnowledgeGraph


@dataclass(frozen=True, slots=True)
class Builtin:
    """A dataset known by its name; `load` says what to do where it is not `available`."""

    name: str
    description: str
    load: Callable[[], KnowledgeGraph]
    available: Callable[[], bool]


def _load_countries() -> KnowledgeGraph:
    with as_file(files(__name__) / "countries") as folder:
        return load_folder(folder, "countries").graph


_ALL = (
    Builtin(
        "countries",
        "countries, cities, languages, currencies, time zones of the world (15,897 facts)",
        _load_countries,
        lambda: True,
    ),
    Builtin(
        "wordnet",
        "English word meanings and how they relate, from the Debian package wordnet-base",
        load_wordnet,
        lambda: find_wordnet() is not None,
    ),
)
BUILTIN: dict[str, Builtin] = {builtin.name: builtin for builtin in _ALL}
