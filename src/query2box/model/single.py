"""The boxes of one question, by numpy: torch takes longer to be called than to compute them.

`QueryEmbedding` is the model; this reads the same parameters and gives the same
boxes, up to the order in which sums are taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import cast

import numpy as np

from query2box.kernels.threads import share
from query2box.model.config import ModelConfig
from query2box.model.embedding import QueryEmbedding, conjunctive
from query2box.model.operators import IntersectHead
from query2box.model.single_head import FloatArray, OneBox, Seen, SingleHead, array
from query2box.query.nodes import Anchor, Intersection, Projection, Query, Union, Variable

MOST_SEEN = 4096
"""Relations whose offsets the networks need not look at again."""


class SingleEmbedding:
    """Embeds one question at a time with the parameters that a model has now."""

    def __init__(self, model: QueryEmbedding, threads: int = 1) -> None:
        """Heads are computed at the same time where there are threads for them."""
        self.config: ModelConfig = model.config
        self.points = array(model.points)
        self.centers = array(model.centers)
        self.offsets = np.abs(array(model.offsets))
        self.stretches = None if model.stretches is None else array(model.stretches)
        self.threads = threads
        self._nothing = np.zeros(model.config.width, np.float32)
        self._heads = [SingleHead(cast("IntersectHead", head)) for head in model.intersect.heads]
        self._see_relation = lru_cache(MOST_SEEN)(lambda number: self._see(self.offsets[number]))

    def boxes(self, skeleton: Query, entities: Sequence[int], relations: Sequence[int]) -> OneBox:
        """The boxes of one query, one a disjunct -> [U, D]."""
        found = [self.embed(one, entities, relations) for one in conjunctive(skeleton)]
        return _stacked(found)

    def embed(self, skeleton: Query, entities: Sequence[int], relations: Sequence[int]) -> OneBox:
        """The box of one conjunctive query."""
        known: dict[int, OneBox] = {}

        def visit(node: Query) -> OneBox:
            match node:
                case Projection(slot, operand):
                    return self._project(visit(operand), relations[int(slot)])
                case Anchor(slot):
                    return OneBox(self.points[entities[int(slot)]], self._nothing)
                case Intersection(operands):
                    boxes = [visit(operand) for operand in operands]
                    return self._intersection(boxes, list(map(seen, operands, boxes)))
                case Variable(label, definition):
                    if label not in known:
                        known[label] = visit(definition)
                    return known[label]
                case Union():
                    raise ValueError("rewrite a query with to_dnf before embedding it")

        def seen(operand: Query, box: OneBox) -> list[Seen]:
            match operand:
                case Projection(slot, Anchor()) if self.config.offset == "adaptive":
                    return self._see_relation(relations[int(slot)])
            return self._see(box.offset)

        box = visit(skeleton)
        return OneBox(box.center, self.offsets[0]) if self.config.offset == "shared" else box

    def _see(self, offset: FloatArray) -> list[Seen]:
        """What each head sees of an offset [D]."""
        parts = np.split(offset, len(self._heads))
        return [head.see(own) for head, own in zip(self._heads, parts, strict=True)]

    def _project(self, box: OneBox, relation: int) -> OneBox:
        if self.stretches is not None:
            stretch = self.stretches[relation]
            box = OneBox(box.center * stretch, box.offset * np.abs(stretch))
        center = box.center + self.centers[relation]
        if self.config.offset != "adaptive":
            return OneBox(center, box.offset)
        return OneBox(center, box.offset + self.offsets[relation])

    def _intersection(self, boxes: Sequence[OneBox], seen: Sequence[list[Seen]]) -> OneBox:
        """Boxes, and what each head sees of their offsets -> a box."""
        stacked = _stacked(boxes)
        found = OneBox(*np.empty((2, self.config.width), np.float32))

        def intersect(number: int) -> None:
            own = slice(number * self.config.dim, (number + 1) * self.config.dim)
            parts = OneBox(stacked.center[:, own], stacked.offset[:, own])
            box = self._heads[number].intersect(parts, [one[number] for one in seen])
            found.center[own], found.offset[own] = box

        share(intersect, range(len(self._heads)), self.threads)
        return found


def _stacked(boxes: Sequence[OneBox]) -> OneBox:
    return OneBox(*(np.stack(parts) for parts in zip(*boxes, strict=True)))
