from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from query2box.query.language import parse
from query2box.query.skeleton import STRUCTURES, structure_name
from query2box.serving.examples import MAX_ANSWERS, PER_STRUCTURE, example_questions
from query2box.workload.denotation import denotation
from strategies import NUM_ENTITIES, NUM_RELATIONS, make_graph

EDGES = st.lists(
    st.tuples(
        st.integers(0, NUM_ENTITIES - 1),
        st.integers(0, NUM_RELATIONS - 1),
        st.integers(0, NUM_ENTITIES - 1),
    ),
    max_size=30,
)


@given(EDGES)
@settings(max_examples=10)  # a structure that a graph lacks is tried for long
def test_examples_have_the_answers_that_they_promise(edges) -> None:
    graph = make_graph(edges)
    examples = example_questions(graph)
    assert examples == example_questions(make_graph(edges))
    assert len({example["formula"] for example in examples}) == len(examples)
    for example in examples:
        query = parse(example["formula"], graph)
        assert structure_name(query) == example["structure"]
        assert len(denotation(query, graph)) == example["answers"]
        assert 1 <= example["answers"] <= MAX_ANSWERS
    # An edge is a question already, and nothing is where there is none.
    assert any(example["structure"] == "1p" for example in examples) == bool(edges)


def test_over_http(client) -> None:
    examples = client.get("/api/examples").json()["examples"]
    assert {example["structure"] for example in examples} == set(STRUCTURES)
    assert len(examples) <= PER_STRUCTURE * len(STRUCTURES)
    for example in examples:
        question = client.post("/api/query", json={"query": example["formula"]}).json()["question"]
        assert question["structure"] == example["structure"]
        known = {"query": example["formula"], "k": MAX_ANSWERS, "only": "known"}
        found = client.post("/api/answer", json=known).json()
        assert len(found["answers"]) == example["answers"]
