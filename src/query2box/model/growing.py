"""A model for more entities and relations than it was trained with."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from query2box.model.embedding import QueryEmbedding
from query2box.model.operators import Box, project

ROUNDS = 10
"""How far from what is known new entities are placed: by neighbours of neighbours and so on."""

CHUNK = 1 << 15
"""Edges whose vectors are summed at a time."""


@torch.no_grad()
def grow(
    model: QueryEmbedding,
    num_entities: int,
    num_relations: int,
    edges: Tensor,
    generator: torch.Generator,
) -> QueryEmbedding:
    """A larger model: what there was keeps its place and value, the rest is placed by new edges.

    edges [E, 3] are rows of head, relation, tail; `num_relations` counts inverse
    relations as relations of their own. A new relation's centre is the mean way from
    its heads to its tails, its offset the mean over the old relations; it stretches
    nothing yet. A new entity is where its neighbours say, the mean over its edges of the
    centre to which the relation takes the neighbour. What no edge ties to anything known
    stays random.
    """
    grown = QueryEmbedding(model.config, num_entities, num_relations, generator)
    old = model.state_dict()
    for name, tensor in grown.state_dict().items():
        tensor[: len(old[name])] = old[name].cpu()
    if model.config.offset == "adaptive":
        grown.offsets[len(model.offsets) :] = grown.offsets[: len(model.offsets)].abs().mean(0)
    _place(grown, len(model.points), len(model.centers), edges)
    return grown


def _place(model: QueryEmbedding, num_points: int, num_centers: int, edges: Tensor) -> None:
    """Give values to the points and centers after the first so many."""
    points, centers = model.points, model.centers
    placed = torch.arange(len(points)) < num_points
    settled = torch.arange(len(centers)) < num_centers
    head, relation, tail = edges.long().unbind(1)
    subjects, objects = torch.cat((head, tail)), torch.cat((tail, head))
    directed = torch.cat((2 * relation, 2 * relation + 1))

    def reached(e: Tensor) -> Tensor:
        start = points[subjects[e]]
        return project(Box(start, torch.zeros_like(start)), model.relation_step(directed[e])).center

    for _ in range(ROUNDS):
        told = _rows(placed[subjects] & settled[directed] & ~placed[objects])
        _set_means(points, objects, told, reached)
        placed[objects[told]] = True
        seen = _rows(placed[subjects] & placed[objects] & ~settled[directed])
        _set_means(centers, directed, seen, lambda e: points[objects[e]] - points[subjects[e]])
        settled[directed[seen]] = True
        if not len(told) and not len(seen):
            break


def _rows(mask: Tensor) -> Tensor:
    return mask.nonzero().squeeze(1)


def _set_means(
    table: Tensor, targets: Tensor, edges: Tensor, vote: Callable[[Tensor], Tensor]
) -> None:
    """Set the rows that these edges target to the mean of the edges' votes."""
    rows, place, counts = torch.unique(targets[edges], return_inverse=True, return_counts=True)
    sums = table.new_zeros(len(rows), table.shape[1])
    for low in range(0, len(edges), CHUNK):
        chunk = slice(low, low + CHUNK)
        sums.index_add_(0, place[chunk], vote(edges[chunk]))
    table[rows] = sums / counts[:, None]
