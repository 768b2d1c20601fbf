"""The boxes of one question, by numpy: torch takes longer to be called than to compute them.

`QueryEmbedding` is the model; this reads the same parameters and gives the same
boxes, up to the order in which sums are taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias, cast

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from query2box.model.config import ModelConfig
from query2box.model.embedding import QueryEmbedding, conjunctive
from query2box.model.operators import Attention, DeepSets, IntersectHead
from query2box.query.nodes import Anchor, Intersection, Projection, Query, Union, Variable

FloatArray: TypeAlias = npt.NDArray[np.float32]


class OneBox(NamedTuple):
    """A box by centre and offset, [D] each; operands are stacked first: [n, D]."""

    center: FloatArray
    offset: FloatArray


class SingleEmbedding:
    """Embeds one question at a time with the parameters that a model has now."""

    def __init__(self, model: QueryEmbedding) -> None:
        self.config: ModelConfig = model.config
        self.points = _array(model.points)
        self.centers = _array(model.centers)
        self.offsets = np.abs(_array(model.offsets))
        self.stretches = None if model.stretches is None else _array(model.stretches)
        self._nothing = np.zeros(model.config.width, np.float32)
        self._intersect = [_intersection(cast("IntersectHead", h)) for h in model.intersect.heads]

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
                    return self._intersection(_stacked([visit(operand) for operand in operands]))
                case Variable(label, definition):
                    if label not in known:
                        known[label] = visit(definition)
                    return known[label]
                case Union():
                    raise ValueError("rewrite a query with to_dnf before embedding it")

        box = visit(skeleton)
        return OneBox(box.center, self.offsets[0]) if self.config.offset == "shared" else box

    def _project(self, box: OneBox, relation: int) -> OneBox:
        if self.stretches is not None:
            stretch = self.stretches[relation]
            box = OneBox(box.center * stretch, box.offset * np.abs(stretch))
        center = box.center + self.centers[relation]
        if self.config.offset != "adaptive":
            return OneBox(center, box.offset)
        return OneBox(center, box.offset + self.offsets[relation])

    def _intersection(self, boxes: OneBox) -> OneBox:
        """Boxes [n, D] -> [D], each head's part on its own."""
        parts = zip(*(np.split(part, len(self._intersect), -1) for part in boxes), strict=True)
        found = [own(OneBox(*part)) for own, part in zip(self._intersect, parts, strict=True)]
        return OneBox(*(np.concatenate(part) for part in zip(*found, strict=True)))


def _intersection(head: IntersectHead) -> Callable[[OneBox], OneBox]:
    """A head's intersection: boxes [n, D] -> [D]."""
    of_centers = _center_operator(head.center)
    of_offsets = None if head.shrink is None else _deep_sets(head.shrink)

    def intersect(boxes: OneBox) -> OneBox:
        whole = np.concatenate(boxes, -1) if head.whole else None
        center = of_centers(boxes.center if whole is None else whole, boxes.center)
        smallest = boxes.offset.min(0)
        if of_offsets is None:
            return OneBox(center, smallest)
        gate = of_offsets(boxes.offset if whole is None else whole)
        sigmoid = (1 + np.tanh(gate / 2)) / 2  # which overflows nowhere
        return OneBox(center, smallest * sigmoid)

    return intersect


Operator: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]
"""seen [n, I], centers [n, D] -> [D]."""


def _center_operator(module: nn.Module) -> Operator:
    if isinstance(module, Attention):
        return _attention(module)
    if isinstance(module, DeepSets):
        network = _deep_sets(module)
        return lambda seen, _: network(seen)
    return lambda _, centers: centers.mean(0)


def _attention(module: Attention) -> Operator:
    inner, outer = _layer(module.inner, rectify=True), _layer(module.outer)

    def center(seen: FloatArray, centers: FloatArray) -> FloatArray:
        scores = outer(inner(seen))
        weights = np.exp(scores - scores.max(0))
        found: FloatArray = (weights * centers).sum(0) / weights.sum(0)
        return found

    return center


def _deep_sets(module: DeepSets) -> Callable[[FloatArray], FloatArray]:
    inner, outer = _layer(module.inner, rectify=True), _layer(module.outer)

    def network(seen: FloatArray) -> FloatArray:
        mean: FloatArray = inner(seen).mean(0, keepdims=True)
        (found,) = outer(mean)
        return cast("FloatArray", found)

    return network


def _layer(module: nn.Linear, rectify: bool = False) -> Callable[[FloatArray], FloatArray]:
    from query2box.kernels.dense import linear

    weights, bias = _array(module.weight), _array(module.bias)

    def layer(inputs: FloatArray) -> FloatArray:
        out = np.empty((len(inputs), len(weights)), np.float32)
        linear(weights, bias, np.ascontiguousarray(inputs), rectify, out)
        return out

    return layer


def _array(tensor: Tensor) -> FloatArray:
    """The numbers of a parameter, where they lie and not to be changed."""
    with torch.no_grad():
        found: FloatArray = tensor.detach().contiguous().numpy().view()
    found.flags.writeable = False
    return found


def _stacked(boxes: Sequence[OneBox]) -> OneBox:
    return OneBox(*(np.stack(parts) for parts in zip(*boxes, strict=True)))
