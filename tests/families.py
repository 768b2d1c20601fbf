"""A graph that can be learnt by heart: families, their cities, and who is whose child."""

from __future__ import annotations

import numpy as np

from query2box.graph.knowledge_graph import KnowledgeGraph
from query2box.graph.vocabulary import Vocabulary

Triple = tuple[str, str, str]


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
