"""A graph that grows: new edges, with names that it may not have had."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np

from query2box.errors import DataError
from query2box.graph.adjacency import IntArray
from query2box.graph.duplicates import drop_duplicates
from query2box.graph.folder import by_id
from query2box.graph.interning import Interner
from query2box.graph.knowledge_graph import KnowledgeGraph
from query2box.graph.readers import read_batches
from query2box.graph.readers.reading import Reading


@dataclass(frozen=True, slots=True, eq=False)
class Growth:
    """The larger graph, and how it differs from the one before."""

    graph: KnowledgeGraph
    edges: IntArray
    """The new ones, which stand last among the training edges."""
    duplicates: int
    """Edges that the graph had already, in whichever split, or that came twice."""


def enlarge(graph: KnowledgeGraph, sources: Sequence[str | Path], reading: Reading) -> Growth:
    """Add the edges of files to a graph's training edges.

    What had an id keeps it; new names come after the old ones. A new label counts
    where an entity had none.
    """
    interner = Interner(graph.entities, graph.relations, grows=True)
    rows = interner.rows(chain.from_iterable(read_batches(path, reading) for path in sources))
    where = sources[0] if len(sources) == 1 else None
    if not len(rows):
        raise DataError("there are no edges to add", where)
    entities, relations = interner.vocabularies()
    # Whatever stands second is left with what the first has not.
    apart, _ = drop_duplicates({"train": graph.edges, "valid": rows}, len(entities), len(relations))
    new = apart["valid"]
    if not len(new):
        raise DataError("the graph has all these edges already; there is nothing to add", where)
    splits = {split: graph.edges_of(split) for split in graph.splits}
    splits["train"] = np.concatenate((splits["train"], new))
    labels = by_id(reading.labels, entities) | graph.labels
    larger = KnowledgeGraph(entities, relations, splits, labels, graph.name)
    return Growth(larger, new, len(rows) - len(new))
