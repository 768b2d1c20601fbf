"""A real browser in front of a real server, and pages that must keep the peace."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from playwright.sync_api import Browser, Page, Request, expect, sync_playwright

from command_line import MAIN

CHROMIUM = Path("/usr/bin/chromium")
PATIENCE = 60_000
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)

Open: TypeAlias = Callable[..., Page]


@pytest.fixture(scope="session")
def address(tiny_run: Path) -> Iterator[str]:
    """Where `q2b serve` serves, in a process of its own."""
    command = [sys.executable, "-c", MAIN, "serve", str(tiny_run), "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            # Ends with the process, should it end before it listens.
            yield next(line for line in process.stderr if "listening at" in line).split()[-1]
        finally:
            process.terminate()
            process.communicate()
    assert process.returncode == 0


# Not for the whole session: while playwright runs, nothing else in this thread can use asyncio.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's chromium."""
    if not CHROMIUM.exists():
        pytest.skip(f"no browser at {CHROMIUM}; scripts/install_chromium.sh installs it")
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=ARGUMENTS, timeout=PATIENCE
        )
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser: Browser, address: str) -> Iterator[Open]:
    """Opens pages; in the end none has complained or asked another server for anything."""
    opened: list[_Watched] = []

    def open_page(link: str = "", **options: Any) -> Page:
        context = browser.new_context(reduced_motion="reduce", **options)
        context.set_default_timeout(PATIENCE)
        watched = _Watched(context.new_page())
        opened.append(watched)
        watched.page.goto(f"{address}/{link}")
        return watched.page

    yield open_page
    for watched in opened:
        watched.settle()
        watched.page.context.close()
    assert [complaint for watched in opened for complaint in watched.complaints] == []
    elsewhere = {url for watched in opened for url in watched.asked}
    assert all(url.startswith((address, "blob:")) for url in elsewhere), elsewhere


class _Watched:
    """A page, what it asked for and what it complained of."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.complaints: list[str] = []
        self.asked: set[str] = set()
        self.under_way: set[Request] = set()
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", self._begun)
        page.on("requestfinished", self._ended)
        page.on("requestfailed", self._ended)

    def _heard(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def _begun(self, request: Request) -> None:
        self.asked.add(request.url)
        self.under_way.add(request)

    def _ended(self, request: Request) -> None:
        self.under_way.discard(request)

    def settle(self) -> None:
        """Wait until nothing is under way: what is asked for is also heard."""
        while self.under_way:
            response = self.under_way.pop().response()
            if response is not None:
                response.finished()
