"""The figures of the paper, for graphs that are one of its own."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from query2box.experiment.report.tables import Figure
from query2box.graph.knowledge_graph import KnowledgeGraph, Split


@dataclass(frozen=True)
class Paper:
    """What the paper says of one dataset; the names of figures are those of evaluations."""

    name: str
    structures: tuple[str, ...]
    said: Mapping[str, Any]

    def metric(self, metric: str, system: str, structure: str) -> Figure | None:
        """A figure of test queries, of a structure or of their `average`."""
        row = self.said[metric].get(system)
        places = ("average", *self.structures)
        if row is None or structure not in places:
            return None
        return Figure(row[places.index(structure)])

    def link_prediction(self, metric: str, system: str) -> Figure | None:
        """A figure of test edges: H@3 or MRR."""
        row = self.said["link_prediction"].get(system)
        places = ("hits@3", "mrr")
        return Figure(row[places.index(metric)]) if row and metric in places else None

    def answers(self, structure: str) -> Figure | None:
        """How many answers a test query has on average."""
        if structure not in self.structures:
            return None
        return Figure(self.said["answers"][self.structures.index(structure)], digits=1)

    def queries(self, split: Split, structure: str) -> Figure | None:
        """How many queries of a structure there are."""
        if structure not in self.structures:
            return None
        return Figure(self.said["queries"][split][structure != "1p"], digits=0)

    @property
    def edges(self) -> Mapping[Split, int]:
        """How many edges each split has."""
        return self.said["edges"]  # type: ignore[no-any-return]


@cache
def papers() -> tuple[Paper, ...]:
    """The paper's datasets."""
    text = files(__package__).joinpath("paper.toml").read_text("utf-8")
    document = tomllib.loads(text)
    structures = tuple(document.pop("structures"))
    return tuple(Paper(name, structures, said) for name, said in document.items())


def paper_of(graph: KnowledgeGraph) -> Paper | None:
    """The paper's dataset that a graph is, by its entities, relations and training edges."""
    size = graph.num_entities, graph.num_relations, len(graph.edges_of("train"))
    for paper in papers():
        if (paper.said["entities"], paper.said["relations"], paper.edges["train"]) == size:
            return paper
    return None
