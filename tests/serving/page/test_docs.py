"""The page of the HTTP API, in Chromium and under its policy."""

from __future__ import annotations

from playwright.sync_api import expect


def test_an_operation_is_opened(open_page) -> None:
    page = open_page("docs")
    assert page.url.endswith("/docs/")
    page.get_by_text("/api/answer", exact=False).first.click()
    expect(page.get_by_role("button", name="Try")).to_be_visible()
