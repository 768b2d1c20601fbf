"""Exact answers for every query of a file."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple, cast

import numpy as np

from query2box.graph.adjacency import IntArray
from query2box.graph.files import atomic_text
from query2box.graph.knowledge_graph import KnowledgeGraph
from query2box.query.nodes import Query
from query2box.query.skeleton import skeleton_of
from query2box.workload.denotation import answer_rows
from query2box.workload.query_files import (
    at_line,
    entity_list,
    names_entities,
    read_documents,
    read_query,
    to_line,
)

BLOCK = 8192
"""Lines that are in memory at a time."""


class Answered(NamedTuple):
    """What came of a file."""

    queries: int
    answers: int


def answer_file(
    source: str | Path, graph: KnowledgeGraph, out: str | Path, threads: int = 2
) -> Answered:
    """Write the lines of a query file with their exact answers on the graph's edges.

    Answers are ids or names, as the line's query has them.
    """
    queries = answers = 0
    with atomic_text(out) as file:
        documents = read_documents(source)
        while block := list(islice(documents, BLOCK)):
            asked = []
            for number, document in block:
                with at_line(source, number):
                    asked.append(read_query(document["query"], graph))
            for (_, document), found in zip(block, answer_all(asked, graph, threads), strict=True):
                names = names_entities(document["query"])
                file.write(to_line({**document, "answers": entity_list(found, graph, names)}))
                answers += len(found)
            queries += len(block)
    return Answered(queries, answers)


def answer_all(queries: list[Query], graph: KnowledgeGraph, threads: int = 2) -> Iterator[IntArray]:
    """The answers of queries by id, of whatever skeletons, in their order."""
    groups: dict[Query, list[int]] = {}
    slots = []
    for index, query in enumerate(queries):
        skeleton, *symbols = skeleton_of(query)
        groups.setdefault(skeleton, []).append(index)
        slots.append(cast("list[tuple[int, ...]]", symbols))
    answers: list[IntArray] = [np.empty(0, np.int32)] * len(queries)
    for skeleton, indices in groups.items():
        entities, relations = (
            np.array([slots[index][kind] for index in indices], np.int32).reshape(len(indices), -1)
            for kind in (0, 1)
        )
        found = answer_rows(skeleton, entities, relations, graph.adjacency, threads)
        for index, row in zip(indices, found, strict=True):
            answers[index] = row
    return iter(answers)
