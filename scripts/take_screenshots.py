"""Make the pictures of docs/images again, from a server of a model of `countries`.

    q2b demo && q2b serve runs/countries &
    python scripts/take_screenshots.py http://127.0.0.1:8000

Wants Debian's chromium.
"""

from __future__ import annotations

import sys
from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import Browser, Page, expect, sync_playwright

IMAGES = Path(__file__).parent.parent / "docs" / "images"

QUESTION = "?c : borders(France, ?c) & (language(?c, German) | language(?c, Italian))"
MONEY = "?m : member_of(?c, 'European Union') & borders(Ukraine, ?c) & currency(?c, ?m)"
PATIENCE = 60_000
DESKTOP = {"width": 1280, "height": 860}
PHONE = {"width": 390, "height": 844}


def main(address: str) -> None:
    IMAGES.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"]
        )
        expect.set_options(timeout=PATIENCE)
        page = opened(browser, address, MONEY, viewport=DESKTOP)
        keep(page, "page-light")
        predicted = page.locator(".list li.predicted button").first
        predicted.click()
        expect(page.locator(".reason")).to_have_attribute("data-drawn", "true")
        keep(page, "page-explanation")
        page.keyboard.press("Escape")
        page.get_by_role("tab", name="See the boxes").click()
        page.locator(".drawing").wait_for()
        keep(page, "page-boxes")
        page.get_by_role("link", name="The graph").click()
        page.locator("table").wait_for()
        keep(page, "page-graph")
        keep(opened(browser, address, QUESTION, viewport=DESKTOP, color_scheme="dark"), "page-dark")
        phone = opened(browser, address, QUESTION, viewport=PHONE)
        keep(phone, "page-phone", full_page=True)
        browser.close()


def opened(browser: Browser, address: str, question: str, **options: object) -> Page:
    """A page that shows the answers of a question."""
    page = browser.new_context(reduced_motion="reduce", **options).new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(f"{address}/#q={quote(question)}")
    page.locator(".list li button").first.wait_for()
    return page


def keep(page: Page, name: str, **options: object) -> None:
    page.screenshot(path=IMAGES / f"{name}.png", animations="disabled", **options)


if __name__ == "__main__":
    main(*sys.argv[1:])
