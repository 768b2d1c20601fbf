"""How a model is fitted."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from query2box.errors import ConfigError, QueryError
from query2box.query.dnf import to_dnf
from query2box.query.skeleton import STRUCTURES, slot_counts, structure

MOST = 1000
"""How many times batch_size there may be of a structure."""


@dataclass(frozen=True)
class TrainingConfig:
    """The options of training; the defaults are this project's own recipe (docs/recipe.md)."""

    steps: int = 30_000
    """Updates of the parameters; a limit of minutes may end a run before."""
    batch_size: int = 256
    """Queries of each structure a step."""
    structures: tuple[str, ...] = ("1p*2", "2p*0.5", "3p*0.5", "2i", "3i")
    """What is trained on: the paper's names or shapes, with how many times batch_size."""
    positives: int = 4
    """Answers that a query is drawn to each time it is used."""
    num_negatives: int = 512
    """k, the entities each query is held against."""
    near: float = 0.5
    """Share of the negatives that are drawn from where a query's last relation leads."""
    anchors: float = 1.0
    """How many entities each of a query's own anchors counts for among its negatives: they lie
    near its box and are hardly ever drawn. 0 leaves them out."""
    chunk: int = 64
    """How many queries share their negatives."""
    filter_negatives: bool = True
    """Whether answers among the negatives are left out."""
    softmax: float = 1.0
    """Weight of the cross-entropy of the positive against the negatives."""
    margin: float = 0.0
    """Weight of the paper's loss (Eq. 4)."""
    temperature: float = 0.0
    """Above 0, near negatives count more in Eq. 4."""
    weighting: Literal["equal", "answers"] = "equal"
    """Queries alike, or by 1 / sqrt(4 + answers) as in the authors' code."""
    learning_rate: float = 3e-3
    """Adam's, at its highest, where `travel` allows it."""
    travel: float = 5.0
    """What the learning rates of all steps add up to at most, which is about as far as a number
    can go: the more steps a run takes, the smaller they are. 0 means no limit."""
    warmup: float = 0.02
    """Share of the run in which the learning rate rises."""
    floor: float = 0.0
    """Share of the learning rate that is left at the end of its linear fall."""
    direction: Literal["forward", "backward", "both"] = "both"
    """How training queries are sampled: from an anchor, from a target, or half of each."""
    starts: Literal["entities", "relations", "edges"] = "relations"
    """What the anchor of a forward walk is uniform over. Backward ones start from any target."""
    pool: int = 50_000
    """Queries of each structure that are sampled at a time."""
    reuse: int = 4
    """How often each of them is used, each time with another answer, before new ones come."""
    open: float = 0.35
    """Share of its dimensions, drawn anew for each box of a step, in which the box is left open:
    its distances then count there as if it were without end. Against learning by heart."""
    evenness: float = 0.1
    """Weight of a spring that makes the distances of different queries comparable: unions
    take the smallest of them."""
    relation: float = 0.25
    """Weight of telling which relation leads from one entity to another; those that lead between
    the same two anywhere are not told apart."""
    edges: int = 512
    """Edges a step whose relation is to be told."""
    least: float = 0.01
    """Smaller derivatives of a negative's distance are kept by chance, raised to this."""

    def __post_init__(self) -> None:
        for name in (
            "steps",
            "batch_size",
            "positives",
            "num_negatives",
            "chunk",
            "pool",
            "reuse",
            "edges",
        ):
            if not 1 <= getattr(self, name) < 2**31:
                raise ConfigError(f"{name} must be at least 1 and below 2^31")
        weights = (
            "softmax",
            "margin",
            "temperature",
            "learning_rate",
            "travel",
            "evenness",
            "relation",
            "least",
        )
        for name in weights:
            if not getattr(self, name) >= 0:
                raise ConfigError(f"{name} must not be negative")
        for name in ("warmup", "floor", "near", "open"):
            if not 0 <= getattr(self, name) <= 1:
                raise ConfigError(f"{name} is a share, from 0 to 1")
        if self.softmax == self.margin == 0:
            raise ConfigError("softmax and margin cannot both be 0")
        if not self.structures or len(self.sizes) < len(self.structures):
            raise ConfigError("structures must name at least one query structure, and none twice")
        for name in self.sizes:
            _check_structure(name)

    @property
    def sizes(self) -> dict[str, int]:
        """How many queries of each structure a step has."""
        parts = map(split_share, self.structures)
        return {name: max(1, round(share * self.batch_size)) for name, share in parts}


def split_share(structure: str) -> tuple[str, float]:
    """A structure and its share of a step, which stands behind an asterisk if it is not 1."""
    name, times, text = structure.partition("*")
    try:
        share = float(text) if times else 1.0
    except ValueError:
        share = math.nan
    if not 0 < share <= MOST:
        raise ConfigError(
            f"structures: {structure[:60]!r} should end with a number up to {MOST} after the *"
        )
    return name.strip(), share


def _check_structure(name: str) -> None:
    """Refuse what is no shape of a question, or has too many disjuncts to be trained on."""
    try:
        skeleton = structure(name)
        to_dnf(skeleton)
    except (QueryError, RecursionError) as error:
        trouble = "it is nested too deep" if isinstance(error, RecursionError) else error
        raise ConfigError(
            f"structures: {name[:60]!r} is no query structure ({trouble}); "
            f"there are {', '.join(STRUCTURES)} and shapes such as i(p(e),p(p(e)))"
        ) from error
    if not slot_counts(skeleton)[1]:
        raise ConfigError(f"structures: {name!r} asks for nothing, it has no projection")
