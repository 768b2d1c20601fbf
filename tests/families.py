"""A graph that can be learnt by heart: families, their cities, and who is whose child."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from query2box.graph.folder import save_graph
from query2box.graph.knowledge_graph import KnowledgeGraph
from query2box.graph.vocabulary import Vocabulary
from query2box.query.skeleton import STRUCTURES
from query2box.workload.query_files import write_queries
from query2box.workload.query_set import QuerySet
from query2box.workload.sampler import sample_evaluation

Triple = tuple[str, str, str]

TINY = {
    "dim": 8,
    "steps": 20,
    "batch_size": 8,
    "pool": 64,
    "num_negatives": 8,
    "chunk": 8,
    "validations": 2,
    "threads": 1,
}
"""Settings of a run that is over in a moment."""


def families(count: int = 6, held_out: int = 0) -> KnowledgeGraph:
    """So many families of two parents and three children, two to a city.

    `held_out` edges each, evenly spread, are for validation and for test.
    """
    triples: list[Triple] = []
    for number in range(count):
        mother, father = f"mother{number}", f"father{number}"
        children = [f"child{number}.{i}" for i in range(3)]
        triples += [(mother, "married", father)]
        triples += [(parent, "child", child) for parent in (mother, father) for child in children]
        triples += [(mother, "raised", child) for child in children]
        triples += [(person, "lives", f"city{number // 2}") for person in (mother, father)]
        triples += [(child, "born", f"city{number // 2}") for child in children]
    entities = Vocabulary("entity", sorted({name for h, _, t in triples for name in (h, t)}))
    relations = Vocabulary("relation", sorted({r for _, r, _ in triples}))
    rows = np.array(
        [(entities.id(h), relations.id(r), entities.id(t)) for h, r, t in triples], np.int32
    )
    order = np.random.default_rng(0).permutation(len(rows))
    valid, test = np.sort(order[:held_out]), np.sort(order[held_out : 2 * held_out])
    splits = {"train": np.delete(rows, order[: 2 * held_out], axis=0)}
    if held_out:
        splits |= {"valid": rows[valid], "test": rows[test]}
    return KnowledgeGraph(entities, relations, splits, name="families")


def save_families(folder: Path, count: int = 6) -> KnowledgeGraph:
    """Write families as a dataset folder with a few queries for validation and test."""
    graph = families(count, held_out=8)
    save_graph(graph, folder)
    for split in ("valid", "test"):
        groups = (
            sample_evaluation(graph, split, STRUCTURES[name], 6, seed=0, threads=1)
            for name in ("1p", "2i", "2u")
        )
        write_queries(folder / f"{split}-queries.jsonl", QuerySet.of(groups), graph, names=True)
    return graph
