"""Geometric operators over boxes (Query2box, section 3.2).

Shapes: B queries, n operands, D dimensions; operands are stacked first: [n, B, D].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn

from query2box.model.config import ModelConfig


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


class Attention(nn.Module):
    """The centre as a weighted mean of the operands' centres, a dimension at a time."""

    def __init__(self, inputs: int, hidden: int, dim: int) -> None:
        super().__init__()
        self.inner = nn.Linear(inputs, hidden)
        self.outer = nn.Linear(hidden, dim)

    def forward(self, seen: Tensor, centers: Tensor) -> Tensor:
        """seen [n, B, I], centers [n, B, D] -> [B, D]."""
        scores = self.outer(torch.relu(self.inner(seen)))
        return (torch.softmax(scores, 0) * centers).sum(0)


class Average(nn.Module):
    """The centre as the plain mean of the operands' centres."""

    def forward(self, seen: Tensor, centers: Tensor) -> Tensor:  # noqa: ARG002
        """seen [n, B, I], centers [n, B, D] -> [B, D]."""
        return centers.mean(0)


class DeepSets(nn.Module):
    """MLP(mean over operands of MLP(x)): any function of a set (Zaheer et al., 2017)."""

    def __init__(self, inputs: int, hidden: int, dim: int) -> None:
        super().__init__()
        self.inner = nn.Linear(inputs, hidden)
        self.outer = nn.Linear(hidden, dim)

    def forward(self, seen: Tensor, centers: Tensor | None = None) -> Tensor:  # noqa: ARG002
        """seen [n, B, I] -> [B, D]."""
        return self.outer(torch.relu(self.inner(seen)).mean(0))  # type: ignore[no-any-return]


CENTER_OPERATORS: dict[str, Callable[[int, int, int], nn.Module]] = {
    "attention": Attention,
    "average": lambda *_: Average(),
    "deepsets": DeepSets,
}


class Intersect(nn.Module):
    """The intersection of boxes, each head's part of their dimensions on its own."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.heads = nn.ModuleList(IntersectHead(config.head) for _ in range(config.heads))

    def forward(self, boxes: Box) -> Box:
        """Boxes [n, B, D] -> [B, D]."""
        if len(self.heads) == 1:
            return self.heads[0](boxes)  # type: ignore[no-any-return]
        parts = zip(*(part.chunk(len(self.heads), -1) for part in boxes), strict=True)
        found = [head(Box(*own)) for head, own in zip(self.heads, parts, strict=True)]
        return Box(*(torch.cat(own, -1) for own in zip(*found, strict=True)))


class IntersectHead(nn.Module):
    """The intersection of boxes: a centre among theirs, an offset below their smallest."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.whole = config.operator_input == "box" and config.offset == "adaptive"
        inputs = config.dim * (1 + self.whole)
        hidden = config.hidden or config.dim
        self.center = CENTER_OPERATORS[config.center](inputs, hidden, config.dim)
        self.shrink = DeepSets(inputs, hidden, config.dim) if config.offset == "adaptive" else None

    def forward(self, boxes: Box) -> Box:
        """Boxes [n, B, D] -> [B, D]."""
        whole = torch.cat(boxes, -1) if self.whole else None
        center = self.center(boxes.center if whole is None else whole, boxes.center)
        smallest = boxes.offset.amin(0)
        if self.shrink is None:
            return Box(center, smallest)
        gate = torch.sigmoid(self.shrink(boxes.offset if whole is None else whole))
        return Box(center, smallest * gate)
