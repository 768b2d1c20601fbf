"""The one model's options, and the paper's eight systems as entries of one table."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from query2box.errors import ConfigError

CenterOperator: TypeAlias = Literal["attention", "average", "deepsets"]
OffsetRule: TypeAlias = Literal["adaptive", "shared", "none"]

MAX_WIDTH = 65_536
MAX_HEADS = 64


@dataclass(frozen=True)
class ModelConfig:
    """What a query embedding is made of (Query2box, sections 3.2 and 4.3)."""

    dim: int = 400
    """The dimensions of an entity's point, in each head."""
    gamma: float = 24.0
    """The margin of Eq. 4."""
    reach: float = 0.0
    """The largest initial value; 0 means (gamma + 2) / dim, as in the authors' code."""
    alpha: float = 0.2
    """How much the distance inside a box counts (Eq. 3). The authors' code has 0.02."""
    heads: int = 1
    """Models side by side, each with points of its own and trained on its own, whose distances add
    up. The paper has one."""
    stretch: bool = False
    """Whether relations multiply a box, each dimension by a factor of its own, before they move
    and widen it. The paper's do not."""
    center: CenterOperator = "attention"
    """How an intersection finds its centre."""
    offset: OffsetRule = "adaptive"
    """Boxes that relations widen and intersections shrink, one size for all, or points."""
    operator_input: Literal["box", "part"] = "box"
    """What intersections look at: the whole box, or only the part that they compute
    (centres for the centre, offsets for the offset), as in the authors' code."""
    hidden: int = 0
    """Hidden width of the intersection's networks, of which the paper says nothing; 0 means
    dim, as in the authors' code."""

    def __post_init__(self) -> None:
        limits = ("dim", 1, MAX_WIDTH), ("heads", 1, MAX_HEADS), ("hidden", 0, MAX_WIDTH)
        for name, low, high in limits:
            if not low <= getattr(self, name) <= high:
                raise ConfigError(f"{name} must be from {low} to {high:,}")
        if not 0 < self.alpha <= 1:
            raise ConfigError("alpha must be above 0 and at most 1")
        if not 0 < self.gamma < math.inf:
            raise ConfigError("gamma must be above 0")
        if not 0 <= self.reach < math.inf:
            raise ConfigError("reach must not be negative")

    @property
    def width(self) -> int:
        """D, the dimensions of all heads together."""
        return self.dim * self.heads

    @property
    def head(self) -> ModelConfig:
        """One head's model, on its own."""
        return replace(self, heads=1)


@dataclass(frozen=True)
class System:
    """A system of the paper: how its model differs, and what it is trained on."""

    center: CenterOperator = "attention"
    offset: OffsetRule = "adaptive"
    widen: int = 1
    """Dimensions, as a multiple of the others'."""
    structures: tuple[str, ...] = ("1p", "2p", "3p", "2i", "3i")

    def model(self, base: ModelConfig) -> ModelConfig:
        """This system's model, with everything else as in `base`."""
        return replace(base, center=self.center, offset=self.offset, dim=base.dim * self.widen)


SYSTEMS: dict[str, System] = {
    "query2box": System(),
    "q2b-avg": System(center="average"),
    "q2b-deepsets": System(center="deepsets"),
    "q2b-avg-1p": System(center="average", structures=("1p",)),
    "q2b-sharedoffset": System(offset="shared"),
    "gqe": System(center="deepsets", offset="none"),
    "gqe-double": System(center="deepsets", offset="none", widen=2),
    "transe": System(center="average", offset="none", structures=("1p",)),
}
"""Section 4.3 and appendix C."""
