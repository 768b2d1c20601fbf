"""A run as it is served: the reasoner, and what is said about it again and again."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from query2box.answering.calibration import Calibration
from query2box.answering.index import CellIndex
from query2box.answering.reasoner import Reasoner
from query2box.bundle import Bundle
from query2box.graph.knowledge_graph import KnowledgeGraph, Split
from query2box.graph.name_search import NameSearch
from query2box.graph.statistics import GraphStatistics, statistics_of
from query2box.serving.examples import example_questions


@dataclass(frozen=True, eq=False)
class Served:
    """A run in memory; it stays what it is when its folder changes."""

    reasoner: Reasoner
    config: dict[str, Any]

    @classmethod
    def load(cls, run: str | Path, stored: Split = "train") -> Served:
        """Read a run folder and do now what the first requests would wait for."""
        bundle = Bundle.load(run)
        for parameter in bundle.model.parameters():
            # Out of the file, which somebody may write over while we serve.
            parameter.data = parameter.data.clone()
        reasoner = Reasoner(bundle, Calibration.load(run), stored)
        reasoner.index = CellIndex.load(run, reasoner.space.points)
        reasoner.prepare()
        served = cls(reasoner, bundle.config)
        served.search.find("", 1)
        _ = served.relations_json, served.graph_json
        return served

    @property
    def graph(self) -> KnowledgeGraph:
        """All that is named."""
        return self.reasoner.graph

    @cached_property
    def search(self) -> NameSearch:
        """The entities' names and labels, to be searched."""
        graph = self.graph
        degrees = np.bincount(graph.edges[:, 0::2].ravel(), minlength=graph.num_entities)
        return NameSearch.of(graph.entities, graph.labels, degrees)

    @cached_property
    def statistics(self) -> GraphStatistics:
        """The graph in figures."""
        return statistics_of(self.graph)

    @cached_property
    def relations_json(self) -> dict[str, Any]:
        """The relations, the most frequent first, with the sizes of their boxes."""
        sizes = self._box_sizes()
        relations = []
        for figures in self.statistics.per_relation:
            forward = 2 * self.graph.relations.id(figures.relation)
            relations.append(
                {
                    "relation": figures.relation,
                    "edges": figures.edges,
                    "box_size": float(sizes[forward]),
                    "inverse_box_size": float(sizes[forward + 1]),
                    "answers": figures.objects,
                    "inverse_answers": figures.inverse_objects,
                }
            )
        return {"relations": relations}

    def _box_sizes(self) -> npt.NDArray[np.float64]:
        """The mean offset of each directed relation's box."""
        import torch

        with torch.no_grad():
            box = self.reasoner.model.relation_step(torch.arange(2 * self.graph.num_relations))
            return box.offset.double().mean(1).numpy()

    @cached_property
    def examples(self) -> list[dict[str, Any]]:
        """Questions to begin with; drawn when they are first wanted."""
        return example_questions(self.reasoner.stored)

    @cached_property
    def graph_json(self) -> dict[str, Any]:
        """The graph's figures, the model, the run's config, how well it is calibrated."""
        statistics = asdict(self.statistics)
        del statistics["per_relation"]
        calibration = self.reasoner.calibration
        model = self.reasoner.model
        return {
            "name": self.graph.name,
            "statistics": statistics,
            "stored_edges": self.reasoner.stored.num_edges,
            "model": {
                "system": self.config.get("system"),
                **asdict(model.config),
                "parameters": sum(parameter.numel() for parameter in model.parameters()),
            },
            "config": {key: value for key, value in self.config.items() if key != "graph"},
            "calibration": dict(calibration.report) if calibration.is_fitted else None,
        }
