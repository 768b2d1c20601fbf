"""Ask logical questions of incomplete knowledge graphs (Query2box).

    from query2box import KnowledgeGraph, denotation, parse

    graph = KnowledgeGraph.load("countries")
    question = parse("?c : borders(France, ?c) & language(?c, German)", graph)
    [graph.label(c) for c in denotation(question, graph)]

Everything here is loaded when it is first used, so that importing the package
costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from query2box.answering.reasoner import Reasoner
    from query2box.errors import Query2boxError
    from query2box.graph.knowledge_graph import KnowledgeGraph
    from query2box.library import evaluate, train, update
    from query2box.query.dnf import to_dnf
    from query2box.query.language import parse
    from query2box.query.render import render
    from query2box.workload.denotation import denotation

__all__ = [
    "KnowledgeGraph",
    "Query2boxError",
    "Reasoner",
    "denotation",
    "evaluate",
    "parse",
    "render",
    "to_dnf",
    "train",
    "update",
]

_HOMES = {
    "KnowledgeGraph": "graph.knowledge_graph",
    "Query2boxError": "errors",
    "Reasoner": "answering.reasoner",
    "denotation": "workload.denotation",
    "evaluate": "library",
    "parse": "query.language",
    "render": "query.render",
    "to_dnf": "query.dnf",
    "train": "library",
    "update": "library",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
