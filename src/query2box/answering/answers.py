"""What a question is answered with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from query2box.graph.knowledge_graph import KnowledgeGraph
from query2box.query.codec import to_json
from query2box.query.names import unbind
from query2box.query.nodes import Query
from query2box.query.render import render
from query2box.query.skeleton import structure_name


class Answer(NamedTuple):
    """An entity that answers a question, or may do so."""

    entity: str
    """Its name."""
    label: str
    """Its readable name."""
    distance: float
    """dist_agg to the question's boxes: smaller is better."""
    probability: float
    """The chance that it is true; 1 where it is known."""
    known: bool
    """Whether it follows from the stored edges."""
    id: int

    def to_json(self) -> dict[str, Any]:
        """As `q2b ask --json` prints it."""
        return {
            "entity": self.entity,
            "label": self.label,
            "distance": self.distance,
            "probability": self.probability,
            "known": self.known,
        }


@dataclass(frozen=True, slots=True)
class Reply:
    """A question as it was understood, and its answers, the nearest first."""

    query: Query
    disjuncts: int
    answers: list[Answer]
    seconds: float
    certified: bool = True
    """Whether they are the nearest for sure; an index with a budget may have missed some."""

    def to_json(self, graph: KnowledgeGraph) -> dict[str, Any]:
        """As `q2b ask --json` prints it."""
        return {
            "query": question_json(self.query, graph),
            "disjuncts": self.disjuncts,
            "seconds": self.seconds,
            "answers": [answer.to_json() for answer in self.answers],
        }


def question_json(query: Query, graph: KnowledgeGraph) -> dict[str, Any]:
    """A question as a formula, as nested lists, and by its structure's name."""
    return {
        "formula": render(query, graph),
        "nodes": to_json(unbind(query, graph)),
        "structure": structure_name(query),
    }
