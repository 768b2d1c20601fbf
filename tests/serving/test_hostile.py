"""What would try values for minutes is refused in time, and others do not wait for it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from http_server import running
from query2box.query.language import parse
from query2box.query.render import render_sparql
from query2box.serving.desk import Desk, shares_variables
from query2box.serving.limits import Limits

PLAIN = "?c : child(mother0, ?c)"


def endless(variables: int) -> str:
    """Children born in one city, each like the one before and all of them like the target.

    Each has six values or so, and all of them have to be tried together.
    """
    parts = ["born(?x0, city0)"]
    for i in range(variables):
        parts.append(f"born(?x{i}, ?a{i}) & born(?t, ?a{i})")
        if i:
            parts.append(f"born(?x{i - 1}, ?b{i}) & born(?x{i}, ?b{i})")
    return "?t : " + " & ".join(parts)


@pytest.mark.parametrize("path", ["/api/answer", "/api/explain"])
def test_an_endless_question_is_refused_with_the_reason(client: httpx.Client, path: str) -> None:
    body = {"query": endless(14)} | ({"entity": "child0.1"} if "explain" in path else {})
    response = client.post(path, json=body)
    assert response.status_code == 422
    assert response.json()["error"]["type"] == "QueryError"
    assert "shared variables have too many values" in response.json()["error"]["message"]
    assert client.post("/api/answer", json={"query": PLAIN}).status_code == 200


def test_over_sparql_too(client: httpx.Client) -> None:
    text = render_sparql(parse(endless(14)))
    assert client.get("/sparql", params={"query": text}).status_code == 422


def test_how_much_may_be_tried_is_a_limit(tiny_run: Path) -> None:
    for work, status in ((10, 422), (100_000, 200)):
        desk = Desk(tiny_run, limits=Limits(work=work))
        with running(desk) as address:
            for text, expected in ((endless(2), status), (PLAIN, 200)):
                found = httpx.post(f"{address}/api/answer", json={"query": text}, timeout=60)
                assert found.status_code == expected


def test_others_do_not_wait_for_shared_variables(client: httpx.Client) -> None:
    assert shares_variables(parse(endless(2)))
    assert not shares_variables(parse(PLAIN))
    hostile = {"query": endless(14)}
    with ThreadPoolExecutor(8) as pool:
        refused = [pool.submit(client.post, "/api/answer", json=hostile) for _ in range(8)]
        plain = [client.post("/api/answer", json={"query": PLAIN}) for _ in range(8)]
    assert {response.status_code for response in plain} == {200}
    assert {one.result().status_code for one in refused} <= {422, 429, 503}
