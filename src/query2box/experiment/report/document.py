"""A report as data, and as Markdown: sections of texts, tables and pictures."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from query2box.experiment.report.render import markdown, markdown_text
from query2box.experiment.report.tables import Table


@dataclass(frozen=True)
class Picture:
    """An SVG file with its title and what it shows in words."""

    name: str
    title: str
    words: str
    svg: bytes = field(repr=False)


Block: TypeAlias = str | Table | Picture


@dataclass(frozen=True)
class Section:
    """A heading and what stands under it."""

    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Document:
    """A whole report."""

    title: str
    sections: tuple[Section, ...]

    @property
    def tables(self) -> tuple[Table, ...]:
        """All tables, in order."""
        return tuple(b for s in self.sections for b in s.blocks if isinstance(b, Table))

    @property
    def pictures(self) -> tuple[Picture, ...]:
        """All pictures, in order."""
        return tuple(b for s in self.sections for b in s.blocks if isinstance(b, Picture))


def to_markdown(document: Document) -> str:
    """The report as a Markdown file that stands beside its folder of plots."""
    parts = [f"# {markdown_text(document.title)}\n"]
    for section in document.sections:
        parts.append(f"## {markdown_text(section.title)}\n")
        parts += map(_block, section.blocks)
    return "\n".join(parts)


def _block(block: Block) -> str:
    if isinstance(block, Table):
        return markdown(block)
    if isinstance(block, Picture):
        words = markdown_text(block.words)
        return f"![{markdown_text(block.title)}](plots/{block.name}.svg)\n\n{words}\n"
    return f"{markdown_text(block)}\n"
