"""Where more ask than can be served, each is told so, on a connection that stays."""

from __future__ import annotations

import json
import socket
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from http_server import running
from query2box.serving.desk import Desk
from query2box.serving.limits import Limits

CLIENTS, REQUESTS = 24, 8
BODY = json.dumps({"query": "?c : child(mother0, ?c)", "k": 2}).encode()
HEAD = (
    "POST /api/answer HTTP/1.1\r\nHost: q2b\r\nContent-Type: application/json\r\n"
    f"Content-Length: {len(BODY)}\r\n\r\n"
).encode()


def keep_asking(place: tuple[str, int]) -> list[int]:
    """The statuses of one question after the other over one connection."""
    statuses = []
    with socket.create_connection(place, timeout=120) as connection:
        reader = connection.makefile("rb")
        for _ in range(REQUESTS):
            connection.sendall(HEAD + BODY)
            statuses.append(int(reader.readline().split()[1]))
            fields = dict(line.lower().split(b": ") for line in iter(reader.readline, b"\r\n"))
            assert json.loads(reader.read(int(fields[b"content-length"])))
            assert (b"retry-after" in fields) == (statuses[-1] == 429)
    return statuses


@pytest.mark.parametrize("limits", [Limits(requests=2), Limits(waiting=1, batch=1)])
def test_nobody_is_cut_off(tiny_run: Path, limits: Limits) -> None:
    with running(Desk(tiny_run, limits=limits)) as address:
        url = httpx.URL(address)
        place = url.host, url.port or 0
        with ThreadPoolExecutor(CLIENTS) as pool:
            found = list(pool.map(keep_asking, [place] * CLIENTS))
        statuses = Counter(status for one in found for status in one)
        assert sum(statuses.values()) == CLIENTS * REQUESTS
        assert statuses.keys() <= {200, 429, 503}
        assert statuses[200]
        assert statuses[429]
        assert keep_asking(place) == [200] * REQUESTS
