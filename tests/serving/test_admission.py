"""Past each limit there is a reason, at once; without the token there is nothing."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from http_server import running
from query2box.serving.desk import Desk
from query2box.serving.lanes import Lane
from query2box.serving.limits import Limits

QUESTION = "?c : child(mother0, ?c)"
TOKEN = "a token that nobody guesses"
EXPLAIN = {"query": QUESTION, "entity": "child0.1"}

Serve = Callable[..., AbstractContextManager[tuple[httpx.Client, Desk]]]


@pytest.fixture
def serve(tiny_run: Path) -> Serve:
    """A server with limits of its own."""

    @contextmanager
    def serve(token: str | None = None, **limits: Any) -> Iterator[tuple[httpx.Client, Desk]]:
        desk = Desk(tiny_run, limits=Limits(**limits))
        with running(desk, token) as address, httpx.Client(base_url=address, timeout=60) as client:
            yield client, desk

    return serve


@contextmanager
def occupied(lane: Lane[Any, Any], more: int = 0) -> Iterator[None]:
    """A lane whose thread is busy, with so much more waiting."""
    begun, end = threading.Event(), threading.Event()

    def work(_: object) -> None:
        begun.set()
        end.wait()

    late = time.monotonic() + 600
    futures = [lane.put(work, late)]
    assert begun.wait(60)
    futures += [lane.put(work, late) for _ in range(more)]
    try:
        yield
    finally:
        end.set()
        for future in futures:
            future.result(60)


def refusal(response: httpx.Response) -> tuple[int, str]:
    return response.status_code, response.json()["error"]["type"]


def test_sizes_are_limited(serve: Serve) -> None:
    with serve(body_bytes=2000, query_characters=50, answers=10, candidates=2, reasons=1) as (
        client,
        _,
    ):

        def ask(**body: Any) -> tuple[int, str]:
            return refusal(client.post("/api/answer", json={"query": QUESTION, **body}))

        too_long = QUESTION + " " * 50
        assert ask(query=too_long) == (413, "TooLargeError")
        assert ask(query=" " * 3000) == (413, "TooLargeError")
        assert ask(k=11) == (422, "TooMuchError")
        assert ask(candidates=["city0"] * 3) == (422, "TooMuchError")
        sparql = client.get("/sparql", params={"query": too_long})
        assert refusal(sparql) == (413, "TooLargeError")
        explained = client.post("/api/explain", json={**EXPLAIN, "runners_up": 2})
        assert refusal(explained) == (422, "TooMuchError")

        def parts() -> Iterator[bytes]:
            yield from [b" " * 1000] * 3

        headers = {"content-type": "application/json"}
        chunked = client.post("/api/answer", content=parts(), headers=headers)
        assert refusal(chunked) == (413, "TooLargeError")
        assert client.post("/api/answer", json={"query": QUESTION, "k": 10}).status_code == 200


def test_disjuncts_are_limited(serve: Serve) -> None:
    with serve(disjuncts=2) as (client, _):
        parts = [f"child(mother{i}, ?c)" for i in range(3)]
        for count, status in ((2, 200), (3, 422)):
            body = {"query": "?c : " + " | ".join(parts[:count])}
            assert client.post("/api/answer", json=body).status_code == status


def test_too_many_are_sent_away(serve: Serve) -> None:
    with serve(requests=0) as (client, _):
        response = client.get("/api/graph")
        assert refusal(response) == (429, "BusyError")
        assert response.headers["retry-after"] == "1"
        assert client.get("/healthz").status_code == 200


def test_what_waits_is_limited(serve: Serve) -> None:
    with serve(thinking=2) as (client, desk), occupied(desk.thinking, more=2):
        assert refusal(client.post("/api/explain", json=EXPLAIN)) == (429, "BusyError")
        assert client.post("/api/answer", json={"query": QUESTION}).status_code == 200


def test_what_takes_too_long_is_given_up(serve: Serve) -> None:
    with serve(seconds=0.2) as (client, desk):
        with occupied(desk.thinking):
            assert refusal(client.post("/api/explain", json=EXPLAIN)) == (503, "TimedOutError")
        assert len(desk.thinking) <= 1


def test_a_body_that_does_not_come_is_not_waited_for(serve: Serve) -> None:
    head = b"POST /api/answer HTTP/1.1\r\nHost: q2b\r\nContent-Length: 9\r\n\r\n"
    with serve(seconds=0.2) as (client, _):
        place = client.base_url.host, client.base_url.port or 0
        with socket.create_connection(place, timeout=60) as connection:
            connection.sendall(head)
            assert connection.recv(4096).startswith(b"HTTP/1.1 503 ")
        assert client.get("/api/graph").status_code == 200


def test_long_work_ends_at_its_deadline(serve: Serve) -> None:
    with serve(seconds=0.2) as (_, desk):
        ended = threading.Event()

        def endless(check: Callable[[], None]) -> None:
            try:
                while True:
                    check()
            finally:
                ended.set()

        future = desk.thinking.put(endless, desk.deadline())
        with pytest.raises(Exception, match="took too long"):
            future.result(60)
        assert ended.wait(60)


def test_nothing_without_the_token(serve: Serve) -> None:
    with serve(token=TOKEN) as (client, _):
        for given in ("", TOKEN, f"Basic {TOKEN}", "Bearer", f"Bearer {TOKEN}x"):
            for path in ("/api/graph", "/api/entities", "/sparql", "/metrics"):
                response = client.get(path, headers={"authorization": given})
                assert refusal(response) == (401, "UnauthorizedError")
                assert response.headers["www-authenticate"] == "Bearer"
        assert client.get("/api/graph").status_code == 401
        assert client.get("/readyz").status_code == 200
        known = {"authorization": f"Bearer {TOKEN}"}
        assert client.get("/api/graph", headers=known).status_code == 200


def test_figures_are_counted(client: httpx.Client) -> None:
    client.get("/api/relations")
    text = client.get("/metrics").text
    assert 'q2b_requests_total{path="/api/relations",status="200"}' in text
    assert 'q2b_waiting{lane="answering"} 0.0' in text
    client.get("/made/up")
    assert "made" not in client.get("/metrics").text
