"""The page of the HTTP API, in Chromium and under its policy."""

from __future__ import annotations

from playwright.sync_api import expect


def test_the_operations_are_shown(open_page) -> None:
    page = open_page("docs")
    assert page.url.endswith("/docs/")
    expect(page.get_by_text("/api/answer", exact=False).first).to_be_visible()
