"""Edges that stand in a graph more than once."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from query2box.errors import DataError
from query2box.graph.adjacency import IntArray
from query2box.graph.knowledge_graph import Split


def drop_duplicates(
    splits: Mapping[Split, IntArray], num_entities: int, num_relations: int
) -> tuple[dict[Split, IntArray], dict[Split, int]]:
    """The splits with each edge only where it comes first, and how many each has lost."""
    if num_entities**2 * num_relations >= 2**63:
        raise DataError("entities x entities x relations of a graph must stay below 2^63")
    keys = np.concatenate([_keys(rows, num_entities, num_relations) for rows in splits.values()])
    first = _first_occurrences(keys)
    ends = np.cumsum([len(rows) for rows in splits.values()])
    kept: dict[Split, IntArray] = {}
    dropped: dict[Split, int] = {}
    for (split, rows), mask in zip(splits.items(), np.split(first, ends[:-1]), strict=True):
        kept[split] = rows if mask.all() else rows[mask]
        dropped[split] = len(rows) - len(kept[split])
    return kept, dropped


def _keys(rows: IntArray, num_entities: int, num_relations: int) -> npt.NDArray[np.int64]:
    """One number an edge."""
    keys = rows[:, 0].astype(np.int64)
    keys *= num_relations
    keys += rows[:, 1]
    keys *= num_entities
    keys += rows[:, 2]
    return keys


def _first_occurrences(keys: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    ordered = np.sort(keys)
    if (ordered[1:] != ordered[:-1]).all():
        # The usual case, and several times quicker than asking where the others are.
        return np.ones(len(keys), np.bool_)
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    first = np.zeros(len(keys), np.bool_)
    first[order] = np.append(True, ordered[1:] != ordered[:-1])
    return first
