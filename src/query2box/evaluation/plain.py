"""Ranks in straightforward PyTorch: what ours is measured against."""

from __future__ import annotations

import torch

from query2box.evaluation.metrics import Ranks
from query2box.kernels.reference import dist_box
from query2box.model.embedding import QueryEmbedding
from query2box.workload.query_set import QueryGroup


@torch.no_grad()
def plain_ranks(model: QueryEmbedding, group: QueryGroup) -> Ranks:
    """The ranks of all hard answers, a query at a time against all entities."""
    closer, level = [], []
    for row in range(len(group)):
        anchors = model.points[torch.from_numpy(group.entities[row : row + 1]).long()]
        relations = torch.from_numpy(group.relations[row : row + 1]).long()
        boxes = model.boxes(group.skeleton, anchors, relations)
        distances = dist_box(  # [U, N] -> [N]
            model.points, boxes.center[0][:, None], boxes.offset[0][:, None], model.config.alpha
        ).amin(0)
        hard = torch.from_numpy(group.hard[row]).long()
        own = distances[hard]
        distances[hard] = distances[torch.from_numpy(group.easy[row]).long()] = torch.inf
        closer.append((distances < own[:, None]).sum(1))
        level.append((distances == own[:, None]).sum(1))
    return Ranks(torch.cat(closer).numpy(), torch.cat(level).numpy())
