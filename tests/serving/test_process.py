"""`q2b serve` as a process: signals, sockets and what it refuses."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from command_line import MAIN
from query2box.errors import ConfigError
from query2box.serving.server import check_bind, is_loopback, read_token

BODY = json.dumps({"query": "?c : child(mother0, ?c)", "k": 2}).encode()


@contextmanager
def serving(run: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server process and its address."""
    command = [sys.executable, "-c", MAIN, "serve", str(run), "--port", "0", *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            line = next(line for line in process.stderr if "listening at" in line)
            address = line.split()[-1]
            yield process, address
        finally:
            process.kill()


def test_a_request_in_flight_is_answered_before_the_end(tiny_run: Path) -> None:
    with serving(tiny_run) as (process, address):
        url = httpx.URL(address)
        place = (url.host, url.port or 0)
        head = (
            f"POST /api/answer HTTP/1.1\r\nHost: {url.host}\r\nContent-Length: {len(BODY)}\r\n"
            "Content-Type: application/json\r\nExpect: 100-continue\r\n\r\n"
        )
        with socket.create_connection(place, timeout=60) as connection:
            connection.sendall(head.encode())
            # Only who reads the body says so.
            assert connection.recv(25) == b"HTTP/1.1 100 Continue\r\n\r\n"
            process.send_signal(signal.SIGTERM)
            while True:  # until it takes no more connections
                try:
                    socket.create_connection(place, timeout=60).close()
                except ConnectionError:
                    break
                time.sleep(0.01)
            connection.sendall(BODY)
            reply = connection.makefile("rb").read()
        assert reply.startswith(b"HTTP/1.1 200 OK\r\n")
        assert len(json.loads(reply.split(b"\r\n\r\n", 1)[1])["answers"]) == 2
        assert process.wait(60) == 0


def test_a_hangup_reloads_and_the_token_comes_from_a_file(tiny_run: Path, tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text("a-token-that-is-long-enough\n")
    with serving(tiny_run, "--token-file", str(path)) as (process, address):
        process.send_signal(signal.SIGHUP)
        assert process.stderr is not None
        assert "as it is now" in process.stderr.readline()
        assert httpx.get(f"{address}/api/graph", timeout=60).status_code == 401
        headers = {"authorization": "Bearer a-token-that-is-long-enough"}
        assert httpx.get(f"{address}/api/graph", headers=headers, timeout=60).status_code == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
        assert process.stderr.read() == ""


@pytest.mark.parametrize("token", ["", "short", "ünguessable-and-long", "two\nlines-of-a-token"])
def test_tokens_that_are_none(tmp_path: Path, token: str) -> None:
    path = tmp_path / "token"
    path.write_text(token, encoding="utf-8")
    with pytest.raises(ConfigError, match="a token has at least"):
        read_token(path)


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.0.7", False),
        ("example.org", False),
        ("", False),
    ],
)
def test_who_can_reach_an_address(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected
    check_bind(host, "token", insecure=False)
    check_bind(host, None, insecure=True)
    if not expected:
        with pytest.raises(ConfigError, match="--token-file"):
            check_bind(host, None, insecure=False)
