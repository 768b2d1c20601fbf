"""A real server for tests: uvicorn in a thread, at a port of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from query2box.serving.app import create_app
from query2box.serving.desk import Desk
from query2box.serving.server import address_of, listen


@contextmanager
def running(desk: Desk, token: str | None = None) -> Iterator[str]:
    """The address of a server that serves a desk; it is closed with its desk in the end."""
    config = uvicorn.Config(create_app(desk, token), log_level="warning", lifespan="on")
    server = uvicorn.Server(config)
    with listen("127.0.0.1", 0) as listening:
        thread = threading.Thread(target=lambda: asyncio.run(server.serve([listening])))
        thread.start()
        try:
            yield address_of(listening)
        finally:
            server.should_exit = True
            thread.join()
