"""Training, validation and test edges, drawn at random.

The paper keeps an evaluation edge only if training has seen its entities and its
relation. Deviation: it drops the others; where the split is ours to make they
move to training instead, so that nothing is lost.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from query2box.errors import ConfigError
from query2box.graph.adjacency import IntArray, OffsetArray
from query2box.graph.knowledge_graph import SPLITS, Split


def check_shares(valid: float, test: float) -> None:
    """Refuse shares that are none or leave nothing to train on."""
    if not (valid >= 0 and test >= 0 and valid + test < 1):
        raise ConfigError(
            f"validation ({valid:g}) and test ({test:g}) take shares of the edges: "
            "not below 0, and less than 1 together"
        )


def split_edges(
    edges: IntArray, valid: float, test: float, rng: np.random.Generator
) -> tuple[dict[Split, IntArray], int]:
    """Distinct edges in splits, and how many of those drawn had to move to training.

    Every split keeps the order of the edges; one whose share is 0 is left out.
    """
    check_shares(valid, test)
    ends = np.cumsum([round(valid * len(edges)), round(test * len(edges))])
    drawn = rng.permutation(len(edges))[: ends[1]]
    place = np.zeros(len(edges), np.int8)
    place[drawn[: ends[0]]] = 1
    place[drawn[ends[0] :]] = 2
    moved = _unseen(edges, place == 0, drawn)
    place[moved] = 0
    shares = (1, valid, test)
    return {s: edges[place == i] for i, s in enumerate(SPLITS) if shares[i]}, len(moved)


def _unseen(edges: IntArray, train: npt.NDArray[np.bool_], drawn: OffsetArray) -> list[int]:
    """Those of the edges drawn that training needs, each seeing to the ones after it."""
    seen_entities = np.zeros(edges[:, 0::2].max(initial=-1) + 1, np.bool_)
    seen_relations = np.zeros(edges[:, 1].max(initial=-1) + 1, np.bool_)
    seen_entities[edges[train, 0::2]] = True
    seen_relations[edges[train, 1]] = True
    rows = edges[drawn]
    complete = seen_entities[rows[:, 0::2]].all(axis=1) & seen_relations[rows[:, 1]]
    moved = []
    for edge in drawn[~complete].tolist():
        head, relation, tail = edges[edge]
        if not (seen_entities[head] and seen_relations[relation] and seen_entities[tail]):
            seen_entities[[head, tail]] = seen_relations[relation] = True
            moved.append(edge)
    return moved
