"""What the API says, by the side of what the library says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from query2box.answering.reasoner import Reasoner

QUESTION = "?c : child(mother0, ?c)"
NODES = ["p", "child", ["e", "mother0"]]
SPARQL = "SELECT ?c WHERE { <mother0> <child> ?c }"


@pytest.fixture(scope="module")
def reasoner(tiny_run: Path) -> Reasoner:
    return Reasoner.load(tiny_run)


def ask(client: httpx.Client, **body: Any) -> dict[str, Any]:
    response = client.post("/api/answer", json=body)
    assert response.status_code == 200, response.text
    return dict(response.json())


@pytest.mark.parametrize("query", [QUESTION, NODES, SPARQL])
@pytest.mark.parametrize("only", [None, "known", "predicted"])
def test_answers_are_those_of_the_reasoner(client, reasoner, query, only) -> None:
    reply = ask(client, query=query, k=7, only=only)
    expected = reasoner.reply(query, 7, only=only).to_json(reasoner.graph)
    assert reply.keys() == expected.keys()
    for key in ("query", "disjuncts"):
        assert reply[key] == expected[key]
    for own, other in zip(reply["answers"], expected["answers"], strict=True):
        for figure in ("distance", "probability"):
            assert own.pop(figure) == pytest.approx(other.pop(figure), rel=1e-4)
        assert own == other


def test_candidates_and_limits_count(client) -> None:
    reply = ask(client, query=QUESTION, k=9, candidates=["child0.1", "city0"])
    assert {answer["entity"] for answer in reply["answers"]} == {"child0.1", "city0"}
    assert len(ask(client, query=f"{SPARQL} LIMIT 2", k=9)["answers"]) == 2
    assert ask(client, query=QUESTION, k=0)["answers"] == []
    assert len(ask(client, query=QUESTION)["answers"]) == 10


def test_explanations_are_those_of_the_reasoner(client, reasoner) -> None:
    body = {"query": QUESTION, "entity": "child0.1", "runners_up": 1}
    response = client.post("/api/explain", json=body)
    expected = reasoner.explain(QUESTION, "child0.1", 1).to_json(reasoner.graph)
    assert response.json() == expected


def test_entities_are_found_as_one_types(client, reasoner) -> None:
    def found(**parameters: Any) -> list[str]:
        document = client.get("/api/entities", params=parameters).json()
        return [entity["entity"] for entity in document["entities"]]

    assert found(search="mother1") == ["mother1", *found(search="mother1")[1:]]
    assert all(name.startswith("child0") for name in found(search="CHILD0", limit=3))
    assert found(search="mohter3", limit=1) == ["mother3"]
    assert len(found()) == 10
    assert found(limit=0) == []
    assert found(search="\x00") == []


def test_what_is_served_is_told(client, reasoner) -> None:
    relations = client.get("/api/relations").json()["relations"]
    assert {relation["relation"] for relation in relations} == set(reasoner.graph.relations)
    counts = [relation["edges"] for relation in relations]
    assert counts == sorted(counts, reverse=True)
    assert sum(counts) == reasoner.graph.num_edges
    graph = client.get("/api/graph").json()
    assert graph["statistics"]["entities"] == reasoner.graph.num_entities
    assert graph["model"]["dim"] == 16
    assert graph["calibration"]["queries"] > 0
    assert "folder" not in str(graph)


@pytest.mark.parametrize(
    ("body", "status", "kind", "more"),
    [
        ({"query": "?c : child(mother0, ?c"}, 400, "QuerySyntaxError", {"position": 22}),
        ({"query": "?c : chlid(mother0, ?c)"}, 422, "UnknownNameError",
         {"position": 5, "suggestions": ["child"]}),
        ({"query": "?c : ~child(mother0, ?c)"}, 422, "UnsupportedQueryError", {"position": 5}),
        ({"query": ["e", "mother0"]}, 422, "IllegalQueryError", {}),
        ({"query": ["x"]}, 400, "QuerySyntaxError", {}),
        ({"query": 7}, 422, "RequestError", {}),
        ({"query": "\ud800"}, 400, "QuerySyntaxError", {}),
        ({"query": QUESTION, "k": -1}, 422, "RequestError", {}),
        ({"query": QUESTION, "why": 1}, 422, "RequestError", {}),
        ({"query": QUESTION, "only": "maybe"}, 422, "RequestError", {}),
        ({"query": QUESTION, "candidates": ["nobody"]}, 422, "UnknownNameError", {}),
        ({}, 422, "RequestError", {}),
        ([], 422, "RequestError", {}),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told(client, body, status, kind, more) -> None:
    # Not httpx's own spelling of JSON, which cannot say half of a surrogate pair.
    headers = {"content-type": "application/json"}
    response = client.post("/api/answer", content=json.dumps(body), headers=headers)
    assert response.status_code == status, response.text
    error = response.json()["error"]
    assert error["type"] == kind
    assert error["message"]
    assert {key: error[key] for key in more} == more


def test_what_is_no_json_is_told(client) -> None:
    for content in (b"{", b"\xff", b"[" * 100_000):
        headers = {"content-type": "application/json"}
        response = client.post("/api/answer", content=content, headers=headers)
        assert response.status_code == 400
        assert response.json()["error"]["type"] == "RequestError"
    assert client.get("/api/nothing").json()["error"]["message"] == "Not Found"


def test_health(client) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}
    assert client.get("/readyz").json() == {"status": "ready"}
