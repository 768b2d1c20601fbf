"""Questions become boxes: the third reader of query nodes.

`embed` recurses once for a whole batch of queries of one skeleton, so a shape
that nobody has named is as fast as the paper's.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import torch
from torch import Tensor, nn

from query2box.model.config import ModelConfig
from query2box.model.operators import Box, Intersect, Step, project, project_point
from query2box.query.dnf import disjuncts, to_dnf
from query2box.query.nodes import Anchor, Intersection, Projection, Query, Union, Variable
from query2box.query.skeleton import structure

ONE_STEP = structure("1p")


class QueryEmbedding(nn.Module):
    """Points for entities, boxes for relations, and the operators between them."""

    def __init__(
        self,
        config: ModelConfig,
        num_entities: int,
        num_relations: int,
        generator: torch.Generator | None = None,
    ) -> None:
        """`num_relations` counts inverse relations as relations of their own."""
        super().__init__()
        self.config = config
        reach = config.reach or (config.gamma + 2) / config.dim

        def table(rows: int, low: float) -> nn.Parameter:
            values = torch.empty(rows, config.width).uniform_(low, reach, generator=generator)
            return nn.Parameter(values)

        self.points = table(num_entities, -reach)
        self.centers = table(num_relations, -reach)
        sizes = {"adaptive": num_relations, "shared": 1, "none": 0}[config.offset]
        self.offsets = table(sizes, 0.0)
        stretches = torch.ones(num_relations, config.width) if config.stretch else None
        self.stretches = None if stretches is None else nn.Parameter(stretches)
        self.intersect = Intersect(config)
        for layer in self.intersect.modules():
            if isinstance(layer, nn.Linear):
                nn.init.xavier_uniform_(layer.weight, generator=generator)
                if layer.bias is not None:
                    nn.init.zeros_(layer.bias)

    def relation_step(self, relations: Tensor) -> Step:
        """What directed relations [...] do to a box -> [..., D]."""
        center = self.centers[relations]
        adaptive = self.config.offset == "adaptive"
        offset = self.offsets[relations].abs() if adaptive else torch.zeros_like(center)
        return Step(center, offset, None if self.stretches is None else self.stretches[relations])

    def steps_from_origin(self, relations: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Where relations [C] lead from the origin: centers, offsets, and their factors, [C, D]."""
        origin = self.centers.new_zeros(len(relations), 1, self.config.width)
        center, offset = self.boxes(ONE_STEP, origin, relations[:, None])
        factors = torch.ones_like(origin) if self.stretches is None else self.stretches[relations]
        return center.squeeze(1), offset.squeeze(1), factors.view(len(relations), -1)

    def boxes(self, skeleton: Query, anchors: Tensor, relations: Tensor) -> Box:
        """The boxes of B queries of one skeleton, one a disjunct -> [B, U, D].

        anchors [B, number of anchors, D] are the points of the slots' entities,
        relations [B, number of relations] the slots' directed relation ids.
        """
        steps = self.relation_step(relations).split(lambda part: part.unbind(1))
        return self.boxes_of(skeleton, anchors.unbind(1), relations, steps)

    def boxes_of(
        self,
        skeleton: Query,
        anchors: Sequence[Tensor],
        relations: Tensor,
        steps: Sequence[Step],
    ) -> Box:
        """The same with the points, and the steps, of each slot on their own [B, D]."""
        found = [self.embed(one, anchors, relations, steps) for one in conjunctive(skeleton)]
        return Box(*(torch.stack(parts, 1) for parts in zip(*found, strict=True)))

    def embed(
        self,
        skeleton: Query,
        anchors: Sequence[Tensor],
        relations: Tensor,
        steps: Sequence[Step],
    ) -> Box:
        """The boxes of B conjunctive queries of one skeleton -> [B, D]."""
        known: dict[int, Box] = {}

        def visit(node: Query) -> Box:
            match node:
                case Anchor(slot):
                    point = anchors[int(slot)]
                    return Box(point, torch.zeros_like(point))
                case Projection(slot, Anchor(entity)):
                    return project_point(anchors[int(entity)], steps[int(slot)])
                case Projection(slot, operand):
                    return project(visit(operand), steps[int(slot)])
                case Intersection(operands):
                    boxes = [visit(operand) for operand in operands]
                    stacked = Box(*(torch.stack(parts) for parts in zip(*boxes, strict=True)))
                    kinds = _kinds(operands, relations)
                    return self.intersect(stacked, kinds)  # type: ignore[no-any-return]
                case Variable(label, definition):
                    if label not in known:
                        known[label] = visit(definition)
                    return known[label]
                case Union():
                    raise ValueError("rewrite a query with to_dnf before embedding it")

        box = visit(skeleton)
        if self.config.offset == "shared":
            return Box(box.center, self.offsets.abs().expand_as(box.center))
        return box


def _kinds(operands: Sequence[Query], relations: Tensor) -> Tensor | None:
    """The relations that lead to operands from points [n, B]: whose offset they have."""
    steps = [o for o in operands if isinstance(o, Projection) and isinstance(o.operand, Anchor)]
    if len(steps) < len(operands):
        return None
    return torch.stack([relations[:, int(step.relation)] for step in steps])


@lru_cache(maxsize=1024)
def conjunctive(skeleton: Query) -> tuple[Query, ...]:
    """The disjuncts of a skeleton; they keep its slot numbers."""
    return disjuncts(to_dnf(skeleton))
