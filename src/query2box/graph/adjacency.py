"""Edges, indexed so that the objects of (entity, relation) are one slice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from query2box.errors import DataError

IntArray: TypeAlias = npt.NDArray[np.int32]
OffsetArray: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Adjacency:
    """Compressed sparse rows of entities, then of an entity's relations.

    Relation ids here are directed: 2r is relation r, 2r + 1 its inverse, so that
    `relation ^ 1` turns around. Entity e has the groups g in
    `entity_groups[e] : entity_groups[e + 1]`; `group_relations[g]` is the
    relation of a group, ascending within an entity, and
    `objects[group_objects[g] : group_objects[g + 1]]` are its objects, ascending.
    """

    entity_groups: OffsetArray
    group_relations: IntArray
    group_objects: OffsetArray
    objects: IntArray

    @classmethod
    def build(cls, edges: IntArray, num_entities: int, num_relations: int) -> Adjacency:
        """Index edges (rows of head, relation, tail), each in both directions."""
        directed = max(2 * num_relations, 1)
        if num_entities**2 * directed >= 2**63:
            raise DataError("a graph's entities x entities x relations must stay below 2^62")
        # One sortable number an edge and direction, worked out in place: these are
        # the largest arrays there ever are.
        both = np.empty((2, len(edges)), np.int64)
        head, relation, tail = edges.T
        for inverse, subject, object_ in ((0, head, tail), (1, tail, head)):
            key = both[inverse]
            key[:] = subject
            key *= directed
            key += 2 * relation + inverse
            key *= num_entities
            key += object_
        keys = both.ravel()
        keys.sort()
        repeated = keys[1:] == keys[:-1]
        if repeated.any():  # edges are a set, whoever lists one twice
            keys = keys[np.append(True, ~repeated)]
        objects = np.empty(len(keys), np.int32)
        np.remainder(keys, max(num_entities, 1), out=objects, casting="unsafe")
        keys //= max(num_entities, 1)
        first = np.ones(len(keys), np.bool_)
        np.not_equal(keys[1:], keys[:-1], out=first[1:])
        starts = np.flatnonzero(first)
        subjects, group_relations = np.divmod(keys[starts], directed)
        entity_groups = np.searchsorted(subjects, np.arange(num_entities + 1))
        return cls(
            _frozen(entity_groups.astype(np.int64)),
            _frozen(group_relations.astype(np.int32)),
            _frozen(np.append(starts, len(objects)).astype(np.int64)),
            _frozen(objects),
        )

    @property
    def num_entities(self) -> int:
        """How many entities have a row."""
        return len(self.entity_groups) - 1

    def find(self, entity: int, relation: int) -> IntArray:
        """The objects of (entity, directed relation), ascending; a view, perhaps empty."""
        first, last = self.entity_groups[entity], self.entity_groups[entity + 1]
        group = first + np.searchsorted(self.group_relations[first:last], relation)
        if group == last or self.group_relations[group] != relation:
            return self.objects[:0]
        return self.objects[self.group_objects[group] : self.group_objects[group + 1]]


T = TypeVar("T", bound=np.generic)


def _frozen(array: npt.NDArray[T]) -> npt.NDArray[T]:
    array.flags.writeable = False
    return array
