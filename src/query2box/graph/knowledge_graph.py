"""The knowledge graph: names, edges and the nested graphs of the paper."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np

from query2box.errors import AmbiguousNameError, DataError, UnknownNameError
from query2box.graph.adjacency import Adjacency, IntArray
from query2box.graph.vocabulary import Vocabulary, nearest

Split: TypeAlias = Literal["train", "valid", "test"]
SPLITS: tuple[Split, ...] = ("train", "valid", "test")


class KnowledgeGraph:
    """An immutable set of (head, relation, tail) edges over named entities.

    Its edges come in up to three splits, and the paper's graphs are nested:
    `graph.train` holds the training edges, `graph.valid` those and the
    validation edges, `graph.test` all three. `graph` itself has every edge.

    A relation r of `graph.relations` has two directed ids: 2r as it stands and
    2r + 1 inverted, named `^name`. Questions, indexes and models use those.
    """

    def __init__(
        self,
        entities: Vocabulary,
        relations: Vocabulary,
        splits: Mapping[Split, IntArray],
        labels: Mapping[int, str] | None = None,
        name: str = "",
    ) -> None:
        self.entities = entities
        self.relations = relations
        self.labels = dict(labels or {})
        self.name = name
        self._splits = {split: _checked(splits[split], self) for split in SPLITS if split in splits}
        if "train" not in self._splits:
            raise DataError("a knowledge graph needs training edges")

    @staticmethod
    def load(source: str | Path) -> KnowledgeGraph:
        """The graph of a dataset folder or of a built-in dataset, e.g. `countries`."""
        from query2box.graph.datasets import load_graph

        return load_graph(source)

    def __repr__(self) -> str:
        return (
            f"<KnowledgeGraph {self.name or 'of'} {self.num_entities:,} entities, "
            f"{self.num_relations:,} relations, {self.num_edges:,} edges>"
        )

    # Sizes

    @property
    def num_entities(self) -> int:
        """|V|."""
        return len(self.entities)

    @property
    def num_relations(self) -> int:
        """|R|, inverse relations not counted."""
        return len(self.relations)

    @property
    def num_edges(self) -> int:
        """Edges of all splits, inverse ones not counted."""
        return sum(len(edges) for edges in self._splits.values())

    # Edges

    @property
    def splits(self) -> tuple[Split, ...]:
        """The splits this graph has."""
        return tuple(self._splits)

    def edges_of(self, split: Split) -> IntArray:
        """The edges of one split alone, rows of (head, relation, tail)."""
        return self._splits.get(split, np.empty((0, 3), np.int32))

    @cached_property
    def edges(self) -> IntArray:
        """All edges, rows of (head, relation, tail), split after split."""
        if len(self._splits) == 1:
            return self._splits["train"]
        edges = np.concatenate(list(self._splits.values()))
        edges.flags.writeable = False
        return edges

    @cached_property
    def adjacency(self) -> Adjacency:
        """All edges in both directions, indexed."""
        return Adjacency.build(self.edges, self.num_entities, self.num_relations)

    def up_to(self, split: Split) -> KnowledgeGraph:
        """The nested graph of a split: its own edges and those of the splits before it."""
        if split not in SPLITS:
            raise DataError(f"no graph {split!r}; say {', '.join(SPLITS)}")
        return self._nested[split]

    @cached_property
    def _nested(self) -> dict[Split, KnowledgeGraph]:
        nested: dict[Split, KnowledgeGraph] = {}
        kept: dict[Split, IntArray] = {}
        graph = self
        for split in SPLITS:
            if split in self._splits:
                kept[split] = self._splits[split]
                graph = self if len(kept) == len(self._splits) else self._with(kept)
            nested[split] = graph
        return nested

    def _with(self, splits: Mapping[Split, IntArray]) -> KnowledgeGraph:
        other = KnowledgeGraph.__new__(KnowledgeGraph)
        other.entities, other.relations = self.entities, self.relations
        other.labels, other.name = self.labels, self.name
        other._splits = dict(splits)
        return other

    @property
    def train(self) -> KnowledgeGraph:
        """The graph of the training edges."""
        return self.up_to("train")

    @property
    def valid(self) -> KnowledgeGraph:
        """The graph of the training and validation edges."""
        return self.up_to("valid")

    @property
    def test(self) -> KnowledgeGraph:
        """The graph of all edges."""
        return self.up_to("test")

    def triples(self, split: Split) -> Iterator[tuple[str, str, str]]:
        """The edges of one split alone, by name."""
        edges, entities, relations = self.edges_of(split), self.entities, self.relations
        for start in range(0, len(edges), 1 << 16):
            for head, relation, tail in edges[start : start + (1 << 16)].tolist():
                yield entities[head], relations[relation], entities[tail]

    # Names: what `query2box.query.names.Names` asks for

    def entity_id(self, name: str) -> int:
        """The id of an entity given by its name or, where that is unique, by its label."""
        found = self.entities.get(name)
        if found is not None:
            return found
        labelled = self._by_label.get(name, ())
        if len(labelled) == 1:
            return labelled[0]
        if labelled:
            raise AmbiguousNameError(name, tuple(self.entities[e] for e in labelled[:5]))
        raise UnknownNameError("entity", name, self._near_entities(name))

    def relation_id(self, name: str) -> int:
        """The directed id of a relation; `^` before the name gives the inverse one's."""
        if name.startswith("^"):
            return 2 * self.relations.id(name[1:]) + 1
        return 2 * self.relations.id(name)

    def entity_name(self, entity: int) -> str:
        """The name of an entity."""
        return self.entities.name(entity)

    def relation_name(self, relation: int) -> str:
        """The name of a directed relation."""
        return "^" * (relation & 1) + self.relations.name(relation >> 1)

    def label(self, entity: int) -> str:
        """The readable name of an entity: its label, or its name where it has none."""
        return self.labels.get(entity) or self.entities.name(entity)

    @cached_property
    def _by_label(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for entity, label in self.labels.items():
            found.setdefault(label, []).append(entity)
        return found

    def _near_entities(self, name: str) -> tuple[str, ...]:
        return nearest(name, [*self.entities, *self._by_label])


def _checked(edges: IntArray, graph: KnowledgeGraph) -> IntArray:
    """Edges as int32 rows that nobody can change and that stay within the vocabularies."""
    rows = np.ascontiguousarray(edges, dtype=np.int32).reshape(-1, 3)
    if len(rows):
        limits = (graph.num_entities, graph.num_relations, graph.num_entities)
        if rows.min() < 0 or (rows.max(axis=0) >= limits).any():
            raise DataError("an edge names an id outside the vocabularies")
    rows = rows.view()
    rows.flags.writeable = False
    return rows
