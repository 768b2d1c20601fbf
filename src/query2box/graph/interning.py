"""Edges by name to edges by id, while they stream by; no Python object is made per edge."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from query2box.graph.adjacency import IntArray, OffsetArray
from query2box.graph.name_table import SPARE_BYTES, NameTable
from query2box.graph.readers.reading import Batch
from query2box.graph.vocabulary import Vocabulary


class UnlistedNameError(Exception):
    """An edge names what the vocabularies lack."""


class Interner:
    """Gives names ids in the order they appear, or as vocabularies have fixed them.

    With `grows`, other names than the vocabularies have come after those.
    """

    def __init__(
        self,
        entities: Vocabulary | None = None,
        relations: Vocabulary | None = None,
        *,
        grows: bool = False,
    ) -> None:
        self._fixed = {"entity": entities, "relation": relations}
        self._adds = {kind: grows or names is None for kind, names in self._fixed.items()}
        self._tables = {kind: _table(names) for kind, names in self._fixed.items()}

    def rows(self, batches: Iterable[Batch]) -> IntArray:
        """The edges of batches, rows of ids."""
        return np.concatenate([np.empty((0, 3), np.int32), *map(self._rows, batches)])

    def _rows(self, batch: Batch) -> IntArray:
        starts, lengths = (places.reshape(-1, 3) for places in _places(batch))
        block = batch + bytes(SPARE_BYTES)
        rows = np.empty(starts.shape, np.int32)
        for kind, columns in (("entity", slice(0, 3, 2)), ("relation", slice(1, 2))):
            rows[:, columns] = (
                self._tables[kind]
                .ids(
                    block,
                    starts[:, columns].ravel(),
                    lengths[:, columns].ravel(),
                    add=self._adds[kind],
                )
                .reshape(len(rows), -1)
            )
        if (rows < 0).any():
            raise UnlistedNameError
        return rows

    def unlisted(self, head: str, relation: str, tail: str) -> tuple[str, str] | None:
        """The kind and name of what the fixed vocabularies lack of an edge, or None."""
        for kind, name in (("entity", head), ("relation", relation), ("entity", tail)):
            listed = self._fixed[kind]
            if listed is not None and name not in listed:
                return kind, name
        return None

    def vocabularies(self) -> tuple[Vocabulary, Vocabulary]:
        """The entities and the relations there are by now."""
        entities, relations = (
            Vocabulary(kind, self._tables[kind].names)
            if fixed is None or self._adds[kind]
            else fixed
            for kind, fixed in self._fixed.items()
        )
        return entities, relations


def _table(names: Vocabulary | None) -> NameTable:
    table = NameTable()
    if names:
        block = "".join(name + "\n" for name in names).encode()
        table.ids(block + bytes(SPARE_BYTES), *_places(block))
    return table


def _places(batch: bytes) -> tuple[OffsetArray, OffsetArray]:
    """Where the cells of lines begin, and how long they are."""
    data = np.frombuffer(batch, np.uint8)
    ends = np.flatnonzero((data == ord("\t")) | (data == ord("\n")))
    starts = np.append(0, ends[:-1] + 1)
    return starts, ends - starts
