"""A question's computation, step by step, as boxes that can be drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from query2box.answering.reasoner import Reasoner
from query2box.errors import QueryError
from query2box.kernels.nearest import Boxes, FloatArray
from query2box.query.dnf import disjuncts, to_dnf
from query2box.query.nodes import Anchor, Projection, Query, Variable, operands_of
from query2box.query.render import render
from query2box.query.skeleton import skeleton_of
from query2box.serving.plane import Plane
from query2box.serving.readable import Readable

MAX_STEPS = 64
"""Steps that anybody would look at."""


def drawn_boxes(
    reasoner: Reasoner,
    query: Query,
    dimensions: Sequence[int] | None = None,
    nearest: int = 12,
) -> dict[str, Any]:
    """Each step's box and the entities nearest to it, in two dimensions, of a question by id.

    Those are dimensions of the space by number or, without any, the principal ones
    of the entities that are shown. A step that several disjuncts need is taken once.
    """
    steps = _Steps()
    ends = {steps.take(disjunct) for disjunct in disjuncts(to_dnf(query))}
    boxes = _boxes(reasoner, steps.queries)
    found = reasoner.space.nearest(boxes, nearest)
    near = [row[row >= 0] for row in found.entities]
    shown = np.unique(np.concatenate(near))
    points = reasoner.space.points[shown]
    plane = _plane(dimensions, points)
    lower, upper = plane.corners(boxes.centers, boxes.offsets)
    places = dict(zip(shown.tolist(), plane.points(points), strict=True))
    return {
        "dim": reasoner.space.points.shape[1],
        "axes": plane.axes,
        "steps": [
            {
                **_told(step, reasoner),
                "inputs": steps.inputs[number],
                "ends": number in ends,
                "lower": lower[number],
                "upper": upper[number],
                "nearest": [
                    {
                        "entity": reasoner.graph.entity_name(entity),
                        "label": reasoner.graph.label(entity),
                        "distance": float(distance),
                        "at": places[entity],
                    }
                    for entity, distance in zip(
                        near[number].tolist(), found.distances[number], strict=False
                    )
                ],
            }
            for number, step in enumerate(steps.queries)
        ],
    }


class _Steps:
    """The nodes of conjunctive questions, each once, operands before what uses them."""

    def __init__(self) -> None:
        self.queries: list[Query] = []
        self.inputs: list[list[int]] = []
        self._numbers: dict[Query, int] = {}

    def take(self, query: Query) -> int:
        """The number of the step that ends with this query."""
        if isinstance(query, Variable):
            return self.take(query.definition)
        if query not in self._numbers:
            inputs = list(map(self.take, operands_of(query)))
            if len(self.queries) == MAX_STEPS:
                raise QueryError(f"a question of more than {MAX_STEPS} steps is not drawn")
            self._numbers[query] = len(self.queries)
            self.queries.append(query)
            self.inputs.append(inputs)
        return self._numbers[query]


def _boxes(reasoner: Reasoner, queries: list[Query]) -> Boxes:
    """The box of each step: that of the question which ends there; an entity is its point."""
    space = reasoner.space
    centers = np.empty((len(queries), space.points.shape[1]), np.float32)
    offsets = np.zeros_like(centers)
    for number, query in enumerate(queries):
        if isinstance(query, Anchor):
            centers[number] = space.points[int(query.entity)]
            continue
        skeleton, *slots = skeleton_of(query)
        box = space.boxes(skeleton, *(np.array([row], np.int32) for row in slots))
        centers[number], offsets[number] = box.centers[0], box.offsets[0]
    return Boxes(centers, offsets, np.arange(len(queries) + 1, dtype=np.int64))


def _plane(dimensions: Sequence[int] | None, shown: FloatArray) -> Plane:
    if dimensions is None:
        return Plane.principal(shown)
    first, second = dimensions
    return Plane.chosen(first, second, shown.shape[1])


def _told(query: Query, reasoner: Reasoner) -> dict[str, Any]:
    """What a step does: which node it is, and the question that ends there."""
    graph = reasoner.graph
    match query:
        case Anchor(entity):
            return {"kind": "entity", "name": graph.label(int(entity)), "formula": None}
        case Projection(relation, _):
            kind, name = "projection", graph.relation_name(int(relation))
        case _:
            kind, name = "intersection", "and"
    return {"kind": kind, "name": name, "formula": render(query, Readable(graph))}
