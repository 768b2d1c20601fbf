"""Reasoners that have learnt nothing: what they say must be consistent all the same."""

from __future__ import annotations

import torch

from query2box.answering.reasoner import Reasoner
from query2box.bundle import Bundle
from query2box.graph.knowledge_graph import KnowledgeGraph, Split
from query2box.model.config import ModelConfig
from query2box.model.embedding import QueryEmbedding


def random_reasoner(
    graph: KnowledgeGraph, seed: int = 0, stored: Split = "train", **options: object
) -> Reasoner:
    """A reasoner over a random model of a graph."""
    config = ModelConfig(**{"dim": 5, "gamma": 2.0, **options})
    generator = torch.Generator().manual_seed(seed)
    model = QueryEmbedding(config, graph.num_entities, 2 * graph.num_relations, generator)
    return Reasoner(Bundle({}, graph, model.eval()), stored=stored)
