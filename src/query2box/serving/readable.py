"""Names as people read them: an entity's label where that leads back to it."""

from __future__ import annotations

from query2box.errors import UnknownNameError
from query2box.graph.knowledge_graph import KnowledgeGraph


class Readable:
    """A graph's names for formulas: what it prints is understood as it was meant."""

    def __init__(self, graph: KnowledgeGraph) -> None:
        self.graph = graph
        self.entity_id = graph.entity_id
        self.relation_id = graph.relation_id
        self.relation_name = graph.relation_name

    def entity_name(self, entity: int) -> str:
        """The label, unless another entity has that name or that label too."""
        name, label = self.graph.entity_name(entity), self.graph.label(entity)
        if label == name:
            return name
        try:
            return label if self.graph.entity_id(label) == entity else name
        except UnknownNameError:  # several entities have the label
            return name
