"""One page that needs nothing else."""

from __future__ import annotations

from html.parser import HTMLParser

from query2box.experiment.report.document import Document, Picture, Section, to_markdown
from query2box.experiment.report.page import to_html
from query2box.experiment.report.tables import Figure, Table

HOSTILE = "<script src=x>&|`*"
DOCUMENT = Document(
    f"Title {HOSTILE}",
    (
        Section("First", (f"Text {HOSTILE}", Table("table", HOSTILE, ("x",), ((Figure(1),),)))),
        Section(HOSTILE, (Picture("picture", HOSTILE, f'"{HOSTILE}', b"<svg/>"),)),
    ),
)


class Tags(HTMLParser):
    """What a browser would see."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.words: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def test_nothing_comes_from_elsewhere() -> None:
    page = Tags(to_html(DOCUMENT))
    assert "script" not in page.tags
    assert "link" not in page.tags
    sources = [value or "" for name, value in page.attributes if name in ("src", "href")]
    assert len(sources) == 3
    assert all(source.startswith(("#section-", "data:image/svg+xml;base64,")) for source in sources)
    assert not any(name.startswith("on") for name, _ in page.attributes)


def test_texts_mean_themselves() -> None:
    page = Tags(to_html(DOCUMENT))
    for text in (f"Title {HOSTILE}", f"Text {HOSTILE}", HOSTILE):
        assert text in page.words
    assert ("alt", f'"{HOSTILE}') in page.attributes


def test_it_is_made_for_phones_and_for_the_dark() -> None:
    page = to_html(DOCUMENT)
    assert ("content", "width=device-width, initial-scale=1") in Tags(page).attributes
    assert "prefers-color-scheme: dark" in page


def test_markdown_has_the_same() -> None:
    text = to_markdown(DOCUMENT)
    assert "](plots/picture.svg)" in text
    assert "\n## First\n" in text
    assert "<script" not in text.replace(r"\<script", "")
