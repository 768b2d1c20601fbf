"""One step's loss and gradients, by the fused kernel or by its torch twin."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from query2box.kernels import reference


@dataclass(frozen=True)
class LossShape:
    """What the loss is made of.

    loss = softmax * cross-entropy of the positives against the negatives
         + margin * Eq. 4
         + evenness / 2 * (height - level)^2
         + relation * cross-entropy of edges' relations against the other relations

    The height of a query is log(sum over non-answers of exp(-distance)) - log(number
    of answers).
    """

    alpha: float
    gamma: float
    softmax: float
    margin: float
    temperature: float = 0.0
    """Above 0, near negatives count more in Eq. 4 instead of 1 / k each."""
    evenness: float = 0.0
    """Holds the heights of all queries near one level, so that distances to different
    boxes can be compared."""
    level: float = 0.0
    least: float = 0.0
    """Derivatives of a negative's distance below this are kept by chance, raised to it."""
    own: float = 1.0
    """How many entities each of a query's own negatives stands for."""
    relation: float = 0.0
    """Relation prediction beside the prediction of entities (Chen et al., AKBC 2021)."""


class Targets(NamedTuple):
    """What B queries are to be near to and far from."""

    chunk: int
    positives: Tensor  # [B, P]
    order: Tensor  # [B], the queries, chunk after chunk
    negatives: Tensor  # [C, K], ascending in each row; each row serves a chunk of queries
    shifts: Tensor  # [C, K], log of how many entities each negative stands for
    answer_offsets: Tensor  # [B + 1]
    answers: Tensor  # ragged, ascending in each query: negatives among them do not count
    own_offsets: Tensor  # [B + 1]
    own_negatives: Tensor  # ragged, ascending in each query: more negatives, of it alone [O]
    sizes: Tensor  # [B], log of how many answers there are
    weights: Tensor  # [B]
    chances: Tensor  # [B], from 0 to 1: what is left to chance, `LossShape.least`

    def to(self, device: torch.device) -> Targets:
        """The same on a device."""
        return Targets(self.chunk, *(part.to(device) for part in self[1:]))

    @property
    def entities(self) -> Tensor:
        """Positives, shared negatives, own ones: the rows that `Gradients.entities` belong to."""
        return torch.cat((self.positives.flatten(), self.negatives.flatten(), self.own_negatives))


class Gradients(NamedTuple):
    """The losses [B] and the derivatives of their sum."""

    losses: Tensor  # [B]
    heights: Tensor  # [B], very low where a query has no negatives
    centers: Tensor  # [M, D]
    offsets: Tensor  # [M, D]
    entities: Tensor  # [B * P + C * K + O, D], in the order of `Targets.entities`


class Links(NamedTuple):
    """E edges whose relations are to be told from others."""

    candidates: Tensor  # [C], directed relations
    heads: Tensor  # [E]
    tails: Tensor  # [E]
    relations: Tensor  # [E], places among the candidates
    known_offsets: Tensor  # [E + 1]
    known: Tensor  # ragged: places of candidates that may lead from head to tail as well
    weights: Tensor  # [E]
    chances: Tensor  # [E], from 0 to 1: what is left to chance, `LossShape.least`

    def to(self, device: torch.device) -> Links:
        """The same on a device."""
        return Links(*(part.to(device) for part in self))

    @property
    def entities(self) -> Tensor:
        """The heads, then the tails: the rows that `RelationGradients.entities` belong to."""
        return torch.cat((self.heads, self.tails))


class RelationGradients(NamedTuple):
    """The losses [E] and the derivatives of their sum."""

    losses: Tensor  # [E]
    centers: Tensor  # [C, D]
    offsets: Tensor  # [C, D]
    stretches: Tensor  # [C, D]
    entities: Tensor  # [2 E, D], of the heads, then of the tails


def level(heights: Tensor) -> float:
    """The mean height of queries that have negatives; 0 where none has."""
    there = heights[heights > -reference.LOW / 2]
    return float(there.mean()) if len(there) else 0.0


def box_loss(
    points: Tensor,  # [N, D]
    centers: Tensor,  # [M, D]
    offsets: Tensor,  # [M, D]
    starts: Tensor,  # [B + 1]
    targets: Targets,
    shape: LossShape,
    fused: bool | None = None,
    out: Tensor | None = None,
) -> Gradients:
    """Distances, losses and gradients; `fused` is the default on the CPU.

    `out` is room for the entities' gradients.
    """
    if out is None:
        out = points.new_empty(len(targets.entities), points.shape[1])
    if fused if fused is not None else points.device.type == "cpu":
        return _fused(points, centers, offsets, starts, targets, shape, out)
    return _plain(points, centers, offsets, starts, targets, shape, out)


def _fused(
    points: Tensor,
    centers: Tensor,
    offsets: Tensor,
    starts: Tensor,
    targets: Targets,
    shape: LossShape,
    out: Tensor,
) -> Gradients:
    import numpy as np

    from query2box.kernels.box_loss import box_loss_kernel

    num_queries, num_positives = targets.positives.shape
    chunks, num_negatives = targets.negatives.shape
    dim = points.shape[1]
    sizes = [num_queries * num_positives, chunks * num_negatives, len(targets.own_negatives)]
    positives, negatives, own_negatives = (part.numpy() for part in torch.split(out, sizes))
    found = Gradients(
        torch.empty(num_queries),
        torch.empty(num_queries),
        torch.empty_like(centers),
        torch.empty_like(offsets),
        out,
    )
    box_loss_kernel(
        points.detach().numpy(),
        centers.detach().numpy(),
        offsets.detach().numpy(),
        starts.numpy(),
        targets.positives.numpy(),
        targets.order.numpy(),
        targets.negatives.numpy(),
        targets.shifts.numpy(),
        targets.answer_offsets.numpy(),
        targets.answers.numpy(),
        targets.own_offsets.numpy(),
        targets.own_negatives.numpy(),
        targets.sizes.numpy(),
        targets.weights.numpy(),
        targets.chances.numpy(),
        targets.chunk,
        np.float32(shape.alpha),
        np.float32(shape.gamma),
        np.float32(shape.softmax),
        np.float32(shape.margin),
        np.float32(shape.temperature),
        np.float32(shape.evenness),
        np.float32(shape.level),
        np.float32(shape.least),
        np.float32(math.log(shape.own)),
        found.losses.numpy(),
        found.heights.numpy(),
        found.centers.numpy(),
        found.offsets.numpy(),
        positives.reshape(num_queries, num_positives, dim),
        negatives.reshape(chunks, num_negatives, dim),
        own_negatives,
    )
    return found


def _plain(
    points: Tensor,
    centers: Tensor,
    offsets: Tensor,
    starts: Tensor,
    targets: Targets,
    shape: LossShape,
    out: Tensor,
) -> Gradients:
    """The same by autograd, a chunk at a time; nothing is left to chance."""
    num_queries, num_positives = targets.positives.shape
    num_negatives = targets.negatives.shape[1]
    rows = points.detach()[targets.entities.long()].requires_grad_()
    parts = [targets.positives.numel(), targets.negatives.numel(), len(targets.own_negatives)]
    positive_rows, negative_rows, own_rows = torch.split(rows, parts)
    positive_rows = positive_rows.view(num_queries, num_positives, -1)
    negative_rows = negative_rows.view(-1, num_negatives, rows.shape[1])
    places, _ = own_places(targets)
    centers, offsets = centers.detach().requires_grad_(), offsets.detach().requires_grad_()
    losses, heights = (torch.empty(num_queries, device=points.device) for _ in range(2))
    total = torch.zeros((), device=points.device)
    for chunk, queries in enumerate(targets.order.split(targets.chunk)):
        sizes = starts.diff()[queries]
        boxes = torch.cat(
            [torch.arange(int(starts[q]), int(starts[q + 1])) for q in queries.tolist()]
        )
        own_starts = torch.cat((sizes.new_zeros(1), sizes.cumsum(0)))
        center, offset = centers[boxes][:, None], offsets[boxes][:, None]  # [m, 1, D]
        positive = reference.dist_box(  # [m, P]
            positive_rows[queries.repeat_interleave(sizes)], center, offset, shape.alpha
        )
        negative = reference.dist_box(negative_rows[chunk], center, offset, shape.alpha)  # [m, K]
        own = own_rows[places[queries.repeat_interleave(sizes)]]
        own = reference.dist_box(own, center, offset, shape.alpha)  # [m, A]
        part, height = reference.query_losses(
            reference.dist_agg(positive, own_starts),
            reference.dist_agg(torch.cat((negative, own), 1), own_starts),
            *negatives_of(targets, chunk, queries, math.log(shape.own)),
            targets.sizes[queries],
            shape,
        )
        part = targets.weights[queries] * part
        total = total + part.sum()
        losses[queries], heights[queries] = part.detach(), height.detach()
    total.backward()
    out.copy_(gradient_of(rows))
    return Gradients(losses, heights, gradient_of(centers), gradient_of(offsets), out)


def relation_loss(
    points: Tensor,  # [N, D]
    centers: Tensor,  # [C, D], the candidates' boxes around the origin
    offsets: Tensor,  # [C, D]
    stretches: Tensor,  # [C, D], what the candidates multiply heads by
    links: Links,
    shape: LossShape,
    fused: bool | None = None,
    out: Tensor | None = None,
) -> RelationGradients:
    """How well relations are told apart, and gradients; the options are those of `box_loss`."""
    if out is None:
        out = points.new_empty(2 * len(links.heads), points.shape[1])
    if fused if fused is not None else points.device.type == "cpu":
        return _fused_relations(points, centers, offsets, stretches, links, shape, out)
    return _plain_relations(points, centers, offsets, stretches, links, shape, out)


def _fused_relations(
    points: Tensor,
    centers: Tensor,
    offsets: Tensor,
    stretches: Tensor,
    links: Links,
    shape: LossShape,
    out: Tensor,
) -> RelationGradients:
    import numpy as np

    from query2box.kernels.relation_loss import relation_loss_kernel

    found = RelationGradients(
        torch.empty(len(links.heads)),
        torch.empty_like(centers),
        torch.empty_like(offsets),
        torch.empty_like(stretches),
        out,
    )
    relation_loss_kernel(
        points.detach().numpy(),
        centers.detach().numpy(),
        offsets.detach().numpy(),
        stretches.detach().numpy(),
        links.heads.numpy(),
        links.tails.numpy(),
        links.relations.numpy(),
        links.known_offsets.numpy(),
        links.known.numpy(),
        (shape.relation * links.weights).numpy(),
        links.chances.numpy(),
        np.float32(shape.alpha),
        np.float32(shape.least),
        found.losses.numpy(),
        found.centers.numpy(),
        found.offsets.numpy(),
        found.stretches.numpy(),
        *(part.numpy() for part in found.entities.chunk(2)),
    )
    return found


def _plain_relations(
    points: Tensor,
    centers: Tensor,
    offsets: Tensor,
    stretches: Tensor,
    links: Links,
    shape: LossShape,
    out: Tensor,
) -> RelationGradients:
    """The same by autograd; nothing is left to chance."""
    rows = points.detach()[links.entities.long()].requires_grad_()
    centers, offsets, stretches = (
        part.detach().requires_grad_() for part in (centers, offsets, stretches)
    )
    heads, tails = rows.chunk(2)
    losses = reference.relation_losses(
        heads,
        tails,
        centers,
        offsets,
        stretches,
        links.relations.long(),
        other_relations(links),
        shape.alpha,
    )
    losses = shape.relation * links.weights * losses
    losses.sum().backward()
    out.copy_(gradient_of(rows))
    return RelationGradients(
        losses.detach(), gradient_of(centers), gradient_of(offsets), gradient_of(stretches), out
    )


def other_relations(links: Links) -> Tensor:
    """Which candidates lead from an edge's head to its tail beside its relation [E, C]."""
    masked = torch.zeros(
        len(links.heads), len(links.candidates), dtype=torch.bool, device=links.heads.device
    )
    edge = torch.arange(len(masked), device=masked.device)
    masked[edge.repeat_interleave(links.known_offsets.diff()), links.known.long()] = True
    masked[edge, links.relations.long()] = False
    return masked


def own_places(targets: Targets) -> tuple[Tensor, Tensor]:
    """Where each query's own negatives stand [B, A], and which places are taken [B, A]."""
    counts = targets.own_offsets.diff()
    steps = torch.arange(int(counts.max()) if len(counts) else 0, device=counts.device)
    there = steps < counts[:, None]
    return torch.where(there, targets.own_offsets[:-1, None] + steps, 0), there


def negatives_of(
    targets: Targets, chunk: int, queries: Tensor, own_shift: float
) -> tuple[Tensor, Tensor]:
    """Shifts of the negatives of a chunk's queries, shared and own ones, and which do not count.

    [queries, K + A] each.
    """
    places, there = own_places(targets)
    own = targets.own_negatives[places[queries]]
    ids = torch.cat((targets.negatives[chunk].expand(len(queries), -1), own), 1)
    shifts = targets.shifts[chunk].expand(len(queries), -1)
    shifts = torch.cat((shifts, shifts.new_full(own.shape, own_shift)), 1)
    masked = masked_answers(targets, ids, queries)
    masked[:, len(targets.negatives[chunk]) :] |= ~there[queries]
    return shifts, masked


def masked_answers(targets: Targets, ids: Tensor, queries: Tensor) -> Tensor:
    """Which of the entities [queries, K] are answers of these queries."""
    offsets = targets.answer_offsets
    rows = zip(ids, queries.tolist(), strict=True)
    own = [torch.isin(row, targets.answers[offsets[q] : offsets[q + 1]]) for row, q in rows]
    return torch.stack(own)


def gradient_of(leaf: Tensor) -> Tensor:
    """What a backward pass left at a leaf that it may not have reached."""
    return torch.zeros_like(leaf) if leaf.grad is None else leaf.grad
