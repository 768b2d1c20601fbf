"""Compiling before the clock runs.

The first use of a kernel on a machine compiles it, which takes longer than many steps. A run
that is to end in so many minutes, and a grid whose runs are to have equal time, must not
pay for that out of their training.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch

from query2box.evaluation.evaluator import evaluate_queries
from query2box.experiment.config import RunConfig
from query2box.graph.adjacency import Adjacency
from query2box.model.embedding import QueryEmbedding
from query2box.query.skeleton import STRUCTURES
from query2box.training.trainer import Trainer
from query2box.workload.sampler import sample_queries

SIZE = 6
"""Entities of a graph in which everybody knows everybody."""


def warm_up(config: RunConfig, threads: int) -> None:
    """Do everything once that a run does, on a graph of a few edges."""
    edges = [(head, 0, tail) for head in range(SIZE) for tail in range(SIZE) if head != tail]
    adjacency = Adjacency.build(np.array(edges, np.int32), SIZE, 1)
    training = replace(
        config.training, steps=1, structures=("1p",), batch_size=4, pool=8, num_negatives=4, edges=4
    )
    generator = torch.Generator().manual_seed(0)
    model = QueryEmbedding(replace(config.model, dim=4, heads=1, hidden=4), SIZE, 2, generator)
    Trainer(model.to(config.device), adjacency, training, 0, threads=threads).train()
    group = sample_queries(adjacency, STRUCTURES["1p"], 4, seed=0)
    evaluate_queries(model, [replace(group, easy=group.hard, hard=group.easy)])
