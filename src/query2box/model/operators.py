"""Geometric operators over boxes (Query2box, section 3.2).

Shapes: B queries, n operands, D dimensions; operands are stacked first: [n, B, D].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn

from query2box.model.config import ModelConfig
from query2box.model.networks import CENTER_NETWORKS, DeepSets, Seen, Sight


class Box(NamedTuple):
    """Boxes by centre and offset (half-width, >= 0); a point has offset 0."""

    center: Tensor  # [..., D]
    offset: Tensor  # [..., D]

    @property
    def lower(self) -> Tensor:
        """q_min."""
        return self.center - self.offset

    @property
    def upper(self) -> Tensor:
        """q_max."""
        return self.center + self.offset


class Step(NamedTuple):
    """What a relation does to a box."""

    center: Tensor  # [..., D], how far it moves it
    offset: Tensor  # [..., D], how much it widens it
    stretch: Tensor | None = None  # [..., D], what it multiplies it by before

    def split(self, how: Callable[[Tensor], Sequence[Tensor]]) -> list[Step]:
        """Several steps, as `how` divides each of the parts."""
        parts = (how(part) for part in self if part is not None)
        return [Step(*own) for own in zip(*parts, strict=True)]


def project(box: Box, relation: Step) -> Box:
    """Translate the centre and widen the box: p + r.

    Deviation, where relations stretch: the box is multiplied by the relation's factors first,
    a dimension at a time, so that a relation can say which dimensions of its subject matter.
    """
    if relation.stretch is not None:
        box = Box(box.center * relation.stretch, box.offset * relation.stretch.abs())
    return Box(box.center + relation.center, box.offset + relation.offset)


def project_point(point: Tensor, relation: Step) -> Box:
    """The same from a point, which has no size to be widened."""
    center = point if relation.stretch is None else point * relation.stretch
    return Box(center + relation.center, relation.offset)


class Intersect(nn.Module):
    """The intersection of boxes, each head's part of their dimensions on its own."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.heads = nn.ModuleList(IntersectHead(config.head) for _ in range(config.heads))

    def forward(self, boxes: Box, kinds: Tensor | None = None) -> Box:
        """Boxes [n, B, D] -> [B, D]; those of the same kind [n, B] have the same offset."""
        shared = None if kinds is None else _shared(kinds)
        if len(self.heads) == 1:
            return self.heads[0](boxes, shared)  # type: ignore[no-any-return]
        parts = zip(*(part.chunk(len(self.heads), -1) for part in boxes), strict=True)
        found = [head(Box(*own), shared) for head, own in zip(self.heads, parts, strict=True)]
        return Box(*(torch.cat(own, -1) for own in zip(*found, strict=True)))


class Shared(NamedTuple):
    """Which operands stand for all those of their kind."""

    chosen: Tensor  # [R], places in operands [n * B]
    places: Tensor  # [n, B], which of the chosen ones has the same offset


def _shared(kinds: Tensor) -> Shared:
    distinct, places = torch.unique(kinds, return_inverse=True)
    numbers = torch.arange(kinds.numel(), device=kinds.device)
    chosen = numbers.new_full(distinct.shape, kinds.numel())
    return Shared(chosen.scatter_reduce_(0, places.flatten(), numbers, "amin"), places)


class IntersectHead(nn.Module):
    """The intersection of boxes: a centre among theirs, an offset below their smallest."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        whole = config.operator_input == "box" and config.offset == "adaptive"
        hidden = config.hidden or config.dim
        self.center = CENTER_NETWORKS[config.center](config.dim, hidden, Sight(True, whole))
        adaptive = config.offset == "adaptive"
        self.shrink = DeepSets(config.dim, hidden, Sight(whole, True)) if adaptive else None

    def forward(self, boxes: Box, shared: Shared | None = None) -> Box:
        """Boxes [n, B, D] -> [B, D]."""
        smallest = boxes.offset.amin(0)
        if self.shrink is None:
            return Box(self.center(Seen(*boxes)), smallest)
        seen = Seen(*boxes)
        if shared is not None:
            rows = boxes.offset.flatten(0, 1).index_select(0, shared.chosen)
            seen = Seen(boxes.center, rows, shared.places)
        return Box(self.center(seen), smallest * torch.sigmoid(self.shrink(seen)))
