"""A question in all its forms: what the page shows while one is being built."""

from __future__ import annotations

from typing import Any

from query2box.answering.questions import Asked
from query2box.graph.knowledge_graph import KnowledgeGraph
from query2box.query.codec import to_json
from query2box.query.dnf import count_disjuncts
from query2box.query.names import unbind
from query2box.query.nodes import Anchor, Intersection, Projection, Query, Union, Variable
from query2box.query.render import render, render_sparql
from query2box.query.skeleton import STRUCTURES, structure_name
from query2box.serving.readable import Readable


def question_forms(asked: Asked, graph: KnowledgeGraph) -> dict[str, Any]:
    """The question as nodes, formula, SPARQL and picture, with its structure's name."""
    query, limit = asked
    name = structure_name(query)
    return {
        "nodes": to_json(unbind(query, graph)),
        "formula": render(query, Readable(graph)),
        "sparql": render_sparql(query, graph),
        "structure": name if name in STRUCTURES else None,
        "disjuncts": count_disjuncts(query),
        "limit": limit,
        "graph": QueryGraph(query, graph).to_json(),
    }


class QueryGraph:
    """A question by id as a picture has it: terms, and atoms that lead from one to another.

    The first term is the target. "or" and "and" are junctions: what leads there are
    alternatives, or the parts of one alternative, and an atom without a relation leads on.
    """

    def __init__(self, query: Query, graph: KnowledgeGraph) -> None:
        self.graph = graph
        self.terms: list[dict[str, Any]] = []
        self.atoms: list[dict[str, Any]] = []
        self._shared: dict[Variable, int] = {}
        self._lead_to(query, self._term("target"))

    def to_json(self) -> dict[str, Any]:
        """As `POST /api/query` answers it."""
        return {"terms": self.terms, "atoms": self.atoms}

    def _term(self, kind: str, **more: str) -> int:
        self.terms.append({"kind": kind, **more})
        return len(self.terms) - 1

    def _lead_to(self, query: Query, destination: int) -> None:
        """Add the atoms that say what a term is."""
        match query:
            case Projection(relation, operand):
                self._atom(self._source(operand), destination, int(relation))
            case Intersection(operands):
                for operand in operands:
                    self._lead_to(operand, destination)
            case Union(operands):
                junction = self._term("or")
                self._atom(junction, destination)
                for operand in operands:
                    self._alternative(operand, junction)
            case Anchor() | Variable():
                raise ValueError("only a projection leads away from an entity or a variable")

    def _alternative(self, query: Query, junction: int) -> None:
        if isinstance(query, Intersection):
            parts = self._term("and")
            self._atom(parts, junction)
            junction = parts
        self._lead_to(query, junction)

    def _source(self, operand: Query) -> int:
        match operand:
            case Anchor(entity):
                id_ = int(entity)
                name, label = self.graph.entity_name(id_), self.graph.label(id_)
                return self._term("entity", entity=name, label=label)
            case Variable(definition=definition):
                if operand not in self._shared:
                    self._shared[operand] = self._term("variable")
                    self._lead_to(definition, self._shared[operand])
                return self._shared[operand]
        variable = self._term("variable")
        self._lead_to(operand, variable)
        return variable

    def _atom(self, source: int, destination: int, relation: int | None = None) -> None:
        self.atoms.append(
            {
                "source": source,
                "destination": destination,
                "relation": None if relation is None else self.graph.relation_name(relation & ~1),
                "forward": relation is None or not relation & 1,
            }
        )
