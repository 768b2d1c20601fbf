from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from query2box.answering.questions import understand
from query2box.errors import ConfigError, QueryError
from query2box.model.config import SYSTEMS
from query2box.query.dnf import disjuncts, to_dnf
from query2box.query.nodes import (
    Anchor,
    Intersection,
    Projection,
    intersection,
    projection,
    union,
    walk,
)
from query2box.query.skeleton import skeleton_of
from query2box.serving.boxes import MAX_STEPS, drawn_boxes
from reasoners import random_reasoner
from strategies import NUM_ENTITIES, make_graph, queries

GRAPH = make_graph([])
REASONERS = {
    name: random_reasoner(GRAPH, center=system.center, offset=system.offset)
    for name, system in SYSTEMS.items()
}
DIMENSIONS = st.one_of(st.none(), st.tuples(*[st.integers(0, 4)] * 2))


@given(queries(), st.sampled_from(sorted(SYSTEMS)), DIMENSIONS, st.integers(1, 9))
@settings(max_examples=40)
def test_each_step_is_drawn_once_after_what_it_needs(query, system, dimensions, nearest) -> None:
    reasoner = REASONERS[system]
    drawn = drawn_boxes(reasoner, query, dimensions, nearest)
    conjunctive = disjuncts(to_dnf(query))
    nodes = [node for part in conjunctive for node in walk(part)]
    kinds = {Anchor: "entity", Projection: "projection", Intersection: "intersection"}
    assert drawn["dim"] == 5
    # The last step ends a disjunct, and no more steps end one than there are.
    assert drawn["steps"][-1]["ends"]
    assert 1 <= sum(step["ends"] for step in drawn["steps"]) <= len(conjunctive)
    assert {kinds[type(node)] for node in nodes if type(node) in kinds} == {
        step["kind"] for step in drawn["steps"]
    }
    for number, step in enumerate(drawn["steps"]):
        assert all(before < number for before in step["inputs"])
        count = len(step["inputs"])
        assert {"entity": count == 0, "projection": count == 1, "intersection": count > 0}[
            step["kind"]
        ]
        assert (step["formula"] is None) == (step["kind"] == "entity")
        assert (np.array(step["lower"]) <= np.array(step["upper"])).all()
        assert len(step["nearest"]) == min(nearest, NUM_ENTITIES)
        distances = [near["distance"] for near in step["nearest"]]
        assert distances == sorted(distances)
        if step["kind"] == "entity":
            assert step["lower"] == step["upper"]
            assert distances[0] == 0


@given(queries(), st.sampled_from(sorted(SYSTEMS)), st.tuples(*[st.integers(0, 4)] * 2))
@settings(max_examples=40)
def test_chosen_dimensions_are_the_box_itself(query, system, dimensions) -> None:
    reasoner = REASONERS[system]
    for step in drawn_boxes(reasoner, query, dimensions)["steps"]:
        for near in step["nearest"]:
            point = reasoner.space.points[reasoner.graph.entity_id(near["entity"])]
            assert near["at"] == [float(point[d]) for d in dimensions]
        if step["kind"] == "entity":
            continue
        # The box of the step's own question, asked as its text says.
        box = boxes_of(reasoner, step["formula"])
        assert len(box.centers) == 1
        center, offset = box.centers[0][list(dimensions)], box.offsets[0][list(dimensions)]
        np.testing.assert_allclose(step["lower"], center - offset, atol=1e-4)
        np.testing.assert_allclose(step["upper"], center + offset, atol=1e-4)


def boxes_of(reasoner: Any, formula: str) -> Any:
    skeleton, *slots = skeleton_of(understand(formula, reasoner.graph).query)
    return reasoner.space.boxes(skeleton, *(np.array([row], np.int32) for row in slots))


def test_equal_steps_of_several_disjuncts_are_one() -> None:
    first, second, third = (projection(2 * r, Anchor(r)) for r in range(3))
    both = drawn_boxes(REASONERS["query2box"], intersection(first, second))
    assert [step["kind"] for step in both["steps"]].count("intersection") == 1
    either = intersection(first, union(second, third))
    drawn = drawn_boxes(REASONERS["query2box"], either)
    # Three entities, three projections, and an intersection in each of two disjuncts.
    assert len(drawn["steps"]) == 8
    assert sum(step["ends"] for step in drawn["steps"]) == 2


def test_what_nobody_would_look_at_is_refused() -> None:
    # Seven entities, a step along each of six relations from each, and another one from there.
    steps = (projection(r, Anchor(e)) for r in range(6) for e in range(7))
    many = intersection(*(projection(0, step) for step in steps))
    with pytest.raises(QueryError, match=f"more than {MAX_STEPS} steps"):
        drawn_boxes(REASONERS["query2box"], many)
    with pytest.raises(ConfigError, match="0 to 4, not 5"):
        drawn_boxes(REASONERS["query2box"], projection(0, Anchor(0)), (0, 5))


def test_over_http(client) -> None:
    query = "?c : child(mother0, ?c) & raised(mother0, ?c)"
    response = client.post("/api/boxes", json={"query": query, "nearest": 4})
    assert response.status_code == 200, response.text
    found = response.json()
    assert found["dim"] == 32
    assert [step["kind"] for step in found["steps"]] == [
        "entity", "projection", "projection", "intersection",
    ]  # fmt: skip
    assert 0 <= found["axes"][1]["share"] <= found["axes"][0]["share"] <= 1

    def refused(**more: Any) -> str:
        response = client.post("/api/boxes", json={"query": query, **more})
        assert response.status_code == 422
        return response.json()["error"]["message"]

    assert "0 to 31" in refused(dimensions=[0, 32])
    assert refused(dimensions=[1])
    assert refused(nearest=0)
