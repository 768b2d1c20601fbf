"""The networks of intersections (Query2box, section 3.2): small functions of sets of boxes.

Shapes: B queries, n operands, D dimensions, H hidden; operands are stacked first: [n, B, D].
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import linear


class Seen(NamedTuple):
    """What there is to see of operands."""

    centers: Tensor  # [n, B, D]
    offsets: Tensor  # [n, B, D]; or [R, D], where operands share them
    places: Tensor | None = None  # [n, B], which of the R offsets each operand has


class Sight(NamedTuple):
    """What a network sees of a box."""

    centers: bool
    offsets: bool


class Inner(nn.Linear):
    """A network's first layer: it sees centres, offsets, or both beside each other.

    What it sees of an offset is computed once for all operands that have it. In training most
    are the same: that of a point's neighbours is the relation's.
    """

    def __init__(self, dim: int, hidden: int, sight: Sight) -> None:
        super().__init__(dim * sum(sight), hidden)
        self.sight = sight

    def forward(self, seen: Seen) -> Tensor:  # type: ignore[override]
        """-> [n, B, H]."""
        weights = self.weight.chunk(sum(self.sight), 1)
        if not self.sight.offsets:
            return linear(seen.centers, weights[0], self.bias)
        of_offsets = linear(seen.offsets, weights[-1], self.bias)
        if seen.places is not None:
            of_offsets = of_offsets.index_select(0, seen.places.flatten())
            of_offsets = of_offsets.view(*seen.places.shape, -1)
        return linear(seen.centers, weights[0]) + of_offsets if self.sight.centers else of_offsets


class Attention(nn.Module):
    """The centre as a weighted mean of the operands' centres, a dimension at a time."""

    def __init__(self, dim: int, hidden: int, sight: Sight) -> None:
        super().__init__()
        self.inner = Inner(dim, hidden, sight)
        self.outer = nn.Linear(hidden, dim, bias=False)  # which would count for nothing, see below

    def forward(self, seen: Seen) -> Tensor:
        """-> [B, D]."""
        *others, last = torch.relu(self.inner(seen)).unbind(0)
        scores = [self.outer(other - last) for other in others]
        # Weights depend on differences of scores alone: the last one's may be 0.
        scores.append(torch.zeros_like(seen.centers[0]))
        return (torch.softmax(torch.stack(scores), 0) * seen.centers).sum(0)


class Average(nn.Module):
    """The centre as the plain mean of the operands' centres."""

    def forward(self, seen: Seen) -> Tensor:
        """-> [B, D]."""
        return seen.centers.mean(0)


class DeepSets(nn.Module):
    """MLP(mean over operands of MLP(x)): any function of a set (Zaheer et al., 2017)."""

    def __init__(self, dim: int, hidden: int, sight: Sight) -> None:
        super().__init__()
        self.inner = Inner(dim, hidden, sight)
        self.outer = nn.Linear(hidden, dim)

    def forward(self, seen: Seen) -> Tensor:
        """-> [B, D]."""
        return self.outer(torch.relu(self.inner(seen)).mean(0))  # type: ignore[no-any-return]


CENTER_NETWORKS: dict[str, Callable[[int, int, Sight], nn.Module]] = {
    "attention": Attention,
    "average": lambda *_: Average(),
    "deepsets": DeepSets,
}
