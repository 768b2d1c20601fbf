"""Training and judging against the plain way of doing the same, in one run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

import torch

from query2box.evaluation.evaluator import rank_group
from query2box.evaluation.plain import plain_ranks
from query2box.experiment.config import PRESETS
from query2box.experiment.threads import use_threads
from query2box.graph.knowledge_graph import KnowledgeGraph
from query2box.model.config import ModelConfig
from query2box.model.embedding import QueryEmbedding
from query2box.query.skeleton import STRUCTURES
from query2box.training.batches import SHARDS, Batches
from query2box.training.config import TrainingConfig
from query2box.training.optimizer import Optimizer
from query2box.training.plain import plain_step
from query2box.training.step import loss_shape, train_step
from query2box.workload.comparison import Row, compare, rate
from query2box.workload.query_set import QueryGroup
from query2box.workload.sampler import sample_evaluation, sample_queries

SECONDS = 5.0
QUERIES = 2048
PLAIN_QUERIES = 32


def compare_training(graph: KnowledgeGraph) -> Iterator[Row]:
    """Whole steps at the paper's sizes: 5 x 512 queries, 128 negatives, 400 dimensions.

    With the paper's networks, which see whole boxes, and with the smaller ones of
    the authors' code; with the paper's loss and with softmax cross-entropy.
    """
    threads = use_threads()
    seen: Literal["box", "part"]
    for seen in ("box", "part"):
        for loss in ("margin", "softmax"):
            config = replace(PRESETS["paper"][0], operator_input=seen)
            options = replace(
                PRESETS["paper"][1],
                margin=float(loss == "margin"),
                softmax=float(loss == "softmax"),
                pool=PRESETS["paper"][1].batch_size,
            )
            yield compare(
                f"train: {loss} loss, networks see the {seen}",
                *_steps(graph, config, options, threads),
            )


def _steps(
    graph: KnowledgeGraph, config: ModelConfig, options: TrainingConfig, threads: int
) -> tuple[float, float]:
    """Queries a second of our steps and of plain ones, on the same queries."""
    model = _model(config, graph)
    # The plain way takes the same queries as they come, each structure whole.
    batch, whole = (
        Batches(graph.train.adjacency, options, seed=0, shards=shards).batch(0)
        for shards in (SHARDS, 1)
    )
    shape = loss_shape(model, options)
    queries = sum(options.sizes.values())
    ours, plain = Optimizer(model), torch.optim.Adam(model.parameters(), lr=1e-4)

    def our_step() -> int:
        train_step(model, ours, batch, shape, 1e-4, threads)
        return queries

    def their_step() -> int:
        plain_step(model, plain, whole, shape)
        return queries

    our_step()  # the first use compiles
    return rate(our_step, SECONDS), rate(their_step, SECONDS)


def compare_evaluation(graph: KnowledgeGraph) -> Iterator[Row]:
    """Ranks of hard answers among all entities, for queries of some structures."""
    use_threads()
    model = _model(PRESETS["paper"][0], graph)
    for name in ("1p", "3p", "3i", "up"):
        group = _questions(graph, name)
        few = group.take(range(min(PLAIN_QUERIES, len(group))))

        def ours(group: QueryGroup = group) -> int:
            rank_group(model, group)
            return len(group)

        def theirs(few: QueryGroup = few) -> int:
            plain_ranks(model, few)
            return len(few)

        ours()  # the first use compiles
        yield compare(f"evaluate: ranks of {name}", rate(ours, SECONDS), rate(theirs, SECONDS))


def _questions(graph: KnowledgeGraph, name: str) -> QueryGroup:
    if "valid" in graph.splits:
        return sample_evaluation(graph, "valid", STRUCTURES[name], QUERIES, seed=0)
    group = sample_queries(graph.adjacency, STRUCTURES[name], QUERIES, seed=0)
    return replace(group, easy=group.hard, hard=group.easy)


def _model(config: ModelConfig, graph: KnowledgeGraph) -> QueryEmbedding:
    generator = torch.Generator().manual_seed(0)
    return QueryEmbedding(config, graph.num_entities, 2 * graph.num_relations, generator)
