"""Which edges of a built-in dataset to hold out for validation and test."""

from __future__ import annotations

import numpy as np

from query2box.graph.adjacency import IntArray, OffsetArray
from query2box.graph.knowledge_graph import Split


def pair_groups(edges: IntArray) -> OffsetArray:
    """A number for each edge, equal where two edges join the same two entities.

    Such edges say much about each other, and a symmetric relation's two say the
    same, so a test that held out one of them alone would be no test.
    """
    ends = np.sort(edges[:, [0, 2]].astype(np.int64), axis=1)
    groups: OffsetArray = ends[:, 0] * (ends.max(initial=0) + 1) + ends[:, 1]
    return groups


def hold_out(
    edges: IntArray, groups: OffsetArray, valid: float, test: float, seed: int
) -> dict[Split, IntArray]:
    """Distinct edges in three splits, sorted; those of a group stay together.

    A group is held out only if its entities and relations all stay in training.
    The order comes from a bit generator's raw stream, which no release of numpy
    may change, so a seed gives the same splits everywhere.
    """
    edges = np.asarray(edges, np.int32)
    by_group = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[by_group], prepend=-1))
    ends = np.append(starts[1:], len(edges))
    uses = np.bincount(edges[:, [0, 2]].ravel()).tolist()
    relation_uses = np.bincount(edges[:, 1]).tolist()

    place = np.zeros(len(edges), np.int8)
    wanted = {1: round(valid * len(edges)), 2: round(test * len(edges))}
    for group in np.argsort(np.random.PCG64(seed).random_raw(len(starts)), kind="stable"):
        rows = by_group[starts[group] : ends[group]]
        split = next((s for s, count in wanted.items() if count >= len(rows)), None)
        if split is None:
            if not any(wanted.values()):
                break
            continue
        taken = edges[rows].tolist()
        for head, relation, tail in taken:
            uses[head] -= 1
            uses[tail] -= 1
            relation_uses[relation] -= 1
        if all(uses[h] and relation_uses[r] and uses[t] for h, r, t in taken):
            place[rows] = split
            wanted[split] -= len(rows)
            continue
        for head, relation, tail in taken:
            uses[head] += 1
            uses[tail] += 1
            relation_uses[relation] += 1

    ordered = np.lexsort((edges[:, 2], edges[:, 1], edges[:, 0]))
    edges, place = edges[ordered], place[ordered]
    return {"train": edges[place == 0], "valid": edges[place == 1], "test": edges[place == 2]}
