"""Names to ids while edges stream by; no Python object is kept per edge."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import count

import numpy as np

from query2box.graph.adjacency import IntArray
from query2box.graph.readers.reading import Batch
from query2box.graph.vocabulary import Vocabulary


class Interner:
    """Gives names ids in the order they appear, or as vocabularies have fixed them."""

    def __init__(
        self, entities: Vocabulary | None = None, relations: Vocabulary | None = None
    ) -> None:
        self.entities = _ids(entities)
        self.relations = _ids(relations)

    def rows(self, batches: Iterable[Batch]) -> IntArray:
        """The edges of batches, rows of ids; `KeyError` for a name that was given no id."""
        return np.concatenate([np.empty((0, 3), np.int32), *map(self._rows, batches)])

    def _rows(self, batch: Batch) -> IntArray:
        rows = np.empty((len(batch) // 3, 3), np.int32)
        # Mapping one C function over many names is what makes large files quick.
        rows[:, 1] = np.fromiter(map(self.relations.__getitem__, batch[1::3]), np.int32)
        del batch[1::3]
        ends = np.fromiter(map(self.entities.__getitem__, batch), np.int32)
        rows[:, 0::2] = ends.reshape(-1, 2)
        return rows

    def unlisted(self, head: str, relation: str, tail: str) -> tuple[str, str] | None:
        """The kind and name of what the fixed vocabularies lack of an edge, or None."""
        for kind, ids, names in (
            ("relation", self.relations, (relation,)),
            ("entity", self.entities, (head, tail)),
        ):
            if not isinstance(ids, defaultdict):
                for name in names:
                    if name not in ids:
                        return kind, name
        return None

    def vocabularies(self) -> tuple[Vocabulary, Vocabulary]:
        """The entities and the relations there are by now."""
        return Vocabulary("entity", self.entities), Vocabulary("relation", self.relations)


def _ids(vocabulary: Vocabulary | None) -> dict[str, int]:
    if vocabulary is None:
        return defaultdict(count().__next__)
    return {name: i for i, name in enumerate(vocabulary)}
