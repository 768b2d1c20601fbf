"""Queries in packed arrays, grouped by skeleton."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from query2box.graph.adjacency import IntArray, OffsetArray
from query2box.query.nodes import Query
from query2box.query.skeleton import instantiate, slot_counts


@dataclass(frozen=True, slots=True, eq=False)
class Ragged:
    """Rows of different lengths: row i is `values[offsets[i] : offsets[i + 1]]`."""

    offsets: OffsetArray
    values: IntArray

    @classmethod
    def from_lists(cls, rows: Iterable[Sequence[int] | IntArray]) -> Ragged:
        """The rows, packed."""
        arrays = [np.asarray(row, np.int32) for row in rows]
        values = np.concatenate(arrays) if arrays else np.empty(0, np.int32)
        return cls.from_counts([len(row) for row in arrays], values)

    @classmethod
    def from_counts(cls, counts: npt.ArrayLike, values: IntArray) -> Ragged:
        """Values that are packed already, with the length of each row."""
        lengths = np.asarray(counts, np.int64)
        offsets = np.zeros(len(lengths) + 1, np.int64)
        np.cumsum(lengths, out=offsets[1:])
        return cls(offsets, values)

    @classmethod
    def empty(cls, rows: int) -> Ragged:
        """Rows without a value."""
        return cls(np.zeros(rows + 1, np.int64), np.empty(0, np.int32))

    @classmethod
    def concatenate(cls, parts: Sequence[Ragged]) -> Ragged:
        """The rows of all parts, one part after the other."""
        if not parts:
            return cls.empty(0)
        counts = np.concatenate([part.counts for part in parts])
        return cls.from_counts(counts, np.concatenate([part.values for part in parts]))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, row: int) -> IntArray:
        if not -len(self) <= row < len(self):
            raise IndexError(row)
        row %= len(self)
        return self.values[self.offsets[row] : self.offsets[row + 1]]

    def __iter__(self) -> Iterator[IntArray]:
        return (self[row] for row in range(len(self)))

    @property
    def counts(self) -> OffsetArray:
        """The length of each row."""
        return np.diff(self.offsets)

    @property
    def rows(self) -> OffsetArray:
        """The row of each value."""
        return np.repeat(np.arange(len(self)), self.counts)

    def take(self, indices: npt.ArrayLike) -> Ragged:
        """The rows of these numbers, in this order."""
        chosen = np.arange(len(self))[np.asarray(indices, np.int64)]
        counts = self.counts[chosen]
        taken = Ragged.from_counts(counts, self.values)
        # A value's place in the old array: its row's start there, then its place in the row.
        shift = np.repeat(self.offsets[chosen] - taken.offsets[:-1], counts)
        return Ragged(taken.offsets, self.values[shift + np.arange(len(shift))])

    def without(self, other: Ragged) -> Ragged:
        """The rows without the values that the same row of `other` has; all rows ascend."""
        size = 1 + max(self.values.max(initial=0), other.values.max(initial=0))
        mine, theirs = (part.rows * size + part.values for part in (self, other))
        place = np.searchsorted(theirs, mine)
        kept = np.append(theirs, -1)[place] != mine
        return Ragged.from_counts(
            np.bincount(self.rows[kept], minlength=len(self)), self.values[kept]
        )

    def ascending(self) -> Ragged:
        """The same rows, each ascending and without repetitions."""
        rows, values = self.rows, self.values
        inside = rows[1:] == rows[:-1]
        if not (inside & (values[1:] <= values[:-1])).any():
            return self
        order = np.lexsort((values, rows))
        rows, values = rows[order], values[order]
        fresh = np.ones(len(rows), bool)
        fresh[1:] = (rows[1:] != rows[:-1]) | (values[1:] != values[:-1])
        return Ragged.from_counts(np.bincount(rows[fresh], minlength=len(self)), values[fresh])


@dataclass(frozen=True, slots=True, eq=False)
class QueryGroup:
    """Queries of one skeleton, with the answers that are known of them.

    `easy` answers follow from the stored edges, `hard` ones need a missing edge;
    both ascend. `structure` is the name that figures are reported under.
    """

    structure: str
    skeleton: Query
    entities: IntArray  # [B, anchors]
    relations: IntArray  # [B, projections], directed ids: 2r as it stands, 2r + 1 inverted
    easy: Ragged
    hard: Ragged

    def __post_init__(self) -> None:
        size = len(self.entities)
        expected = tuple((size, slots) for slots in slot_counts(self.skeleton))
        if (self.entities.shape, self.relations.shape) != expected:
            raise ValueError("entities and relations do not fill the skeleton's slots")
        if len(self.easy) != size or len(self.hard) != size:
            raise ValueError("each query needs its row of easy and of hard answers")

    @classmethod
    def empty(cls, structure: str, skeleton: Query) -> QueryGroup:
        """No queries."""
        entities, relations = (np.empty((0, n), np.int32) for n in slot_counts(skeleton))
        return cls(structure, skeleton, entities, relations, Ragged.empty(0), Ragged.empty(0))

    @classmethod
    def concatenate(cls, parts: Sequence[QueryGroup]) -> QueryGroup:
        """The queries of all parts, which have one skeleton, one part after the other."""
        return cls(
            parts[0].structure,
            parts[0].skeleton,
            np.concatenate([part.entities for part in parts]),
            np.concatenate([part.relations for part in parts]),
            Ragged.concatenate([part.easy for part in parts]),
            Ragged.concatenate([part.hard for part in parts]),
        )

    def __len__(self) -> int:
        return len(self.entities)

    def query(self, row: int) -> Query:
        """One query, by id."""
        return instantiate(self.skeleton, self.entities[row].tolist(), self.relations[row].tolist())

    def take(self, indices: npt.ArrayLike) -> QueryGroup:
        """The queries of these numbers, in this order."""
        chosen = np.asarray(indices, np.int64)
        return QueryGroup(
            self.structure,
            self.skeleton,
            self.entities[chosen],
            self.relations[chosen],
            self.easy.take(chosen),
            self.hard.take(chosen),
        )


@dataclass(frozen=True, slots=True, eq=False)
class QuerySet:
    """Groups of queries, and the order that their lines have in a file.

    `order` names the group of each line; within a group, rows stand in the order
    of their lines.
    """

    groups: tuple[QueryGroup, ...]
    order: IntArray

    @classmethod
    def of(cls, groups: Iterable[QueryGroup]) -> QuerySet:
        """The groups one after the other."""
        groups = tuple(groups)
        sizes = [len(group) for group in groups]
        return cls(groups, np.repeat(np.arange(len(groups), dtype=np.int32), sizes))

    def __len__(self) -> int:
        return len(self.order)

    def __iter__(self) -> Iterator[tuple[QueryGroup, int]]:
        """Each query as its group and its row there, in the order of the lines."""
        rows = [0] * len(self.groups)
        for group in self.order.tolist():
            yield self.groups[group], rows[group]
            rows[group] += 1
