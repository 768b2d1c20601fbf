"""Example questions for a graph, drawn by the paper's sampler."""

from __future__ import annotations

from typing import Any

from query2box.errors import DataError
from query2box.graph.knowledge_graph import KnowledgeGraph
from query2box.query.render import render
from query2box.query.skeleton import STRUCTURES
from query2box.serving.readable import Readable
from query2box.workload.sampler import sample_queries

PER_STRUCTURE = 3
MAX_ANSWERS = 50
"""Questions that nearly everything answers teach nobody anything."""

SEED = 0


def example_questions(graph: KnowledgeGraph) -> list[dict[str, Any]]:
    """A few questions of each structure that have answers among the graph's edges.

    The same for the same graph. A structure that the graph lacks has none.
    """
    names = Readable(graph)
    found: dict[str, dict[str, Any]] = {}
    for structure, skeleton in STRUCTURES.items():
        try:
            group = sample_queries(
                graph.adjacency, skeleton, PER_STRUCTURE, SEED, threads=1, max_answers=MAX_ANSWERS
            )
        except DataError:
            continue
        for row, answers in enumerate(group.easy.counts.tolist()):
            formula = render(group.query(row), names)
            found[formula] = {"structure": structure, "formula": formula, "answers": answers}
    return list(found.values())
