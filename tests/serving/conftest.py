"""One server over one small run for all tests that do not change it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from http_server import running
from query2box.serving.desk import Desk


@pytest.fixture(scope="session")
def server(tiny_run: Path) -> Iterator[str]:
    """The address of a running server."""
    with running(Desk(tiny_run)) as address:
        yield address


@pytest.fixture
def client(server: str) -> Iterator[httpx.Client]:
    """A client of the running server."""
    with httpx.Client(base_url=server, timeout=60) as client:
        yield client
