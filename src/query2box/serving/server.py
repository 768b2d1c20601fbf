"""`q2b serve`: a process that listens."""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn

from query2box.errors import ConfigError, Query2boxError
from query2box.serving.app import create_app
from query2box.serving.desk import Desk
from query2box.serving.pauses import take_turns

logger = logging.getLogger("uvicorn.error")

SHORTEST_TOKEN = 16
"""Characters; less could be guessed."""

BACKLOG = 65_535
"""Connections that wait to be taken up, or as many as the system allows. One that finds no room
tries again after a second, then after two, four and so on: to whoever asks, a hang."""

KEEP_ALIVE = 75
"""Seconds that an idle connection stays open: longer than clients and proxies keep theirs.

Whoever closes first may close a connection on which a request is under way.
"""


def read_token(path: Path) -> str:
    """The token that a file holds."""
    token = path.read_text("utf-8").strip()
    if len(token) < SHORTEST_TOKEN or not token.isascii() or not token.isprintable():
        raise ConfigError(f"{path}: a token has at least {SHORTEST_TOKEN} characters, all ASCII")
    return token


def check_bind(host: str, token: str | None, insecure: bool) -> None:
    """Refuse to let everybody in by mistake."""
    if token is None and not insecure and not is_loopback(host):
        raise ConfigError(
            f"{host} can be reached from other machines: give a --token-file, "
            "or --insecure if everybody may ask"
        )


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def listen(host: str, port: int) -> socket.socket:
    """A socket that clients can connect to; who comes early waits."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address[:2], family=family, backlog=BACKLOG)
    except OSError as error:
        raise ConfigError(f"cannot listen at {host}:{port}: {error.strerror}") from error


def address_of(listening: socket.socket) -> str:
    """Where a browser finds it."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to `serve`: uvicorn would raise them again at the end."""
        yield


def serve(
    desk: Desk, listening: socket.socket, token: str | None, ready: Callable[[], None]
) -> None:
    """Serve until SIGTERM or SIGINT, then finish what runs; SIGHUP reloads.

    `ready` is called once requests and signals are taken.
    """
    take_turns()
    server = _Server(
        uvicorn.Config(
            create_app(desk, token),
            log_level="warning",
            access_log=False,
            server_header=False,
            lifespan="on",
            backlog=BACKLOG,
            timeout_keep_alive=KEEP_ALIVE,
            timeout_graceful_shutdown=int(desk.limits.seconds) + 5,
        )
    )

    async def main() -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, server.handle_exit, number, None)
        reloads: set[asyncio.Task[None]] = set()

        def reload() -> None:
            task = loop.create_task(_reload(desk))
            reloads.add(task)
            task.add_done_callback(reloads.discard)

        loop.add_signal_handler(signal.SIGHUP, reload)
        ready()
        await server.serve([listening])

    with asyncio.Runner(loop_factory=server.config.get_loop_factory()) as runner:
        runner.run(main())


async def _reload(desk: Desk) -> None:
    """What SIGHUP asks for; there is nobody to tell but the log."""
    try:
        await desk.reload()
        logger.warning("serving %s as it is now", desk.run)
    except Query2boxError as error:
        logger.error("still serving the old run: %s", error)
