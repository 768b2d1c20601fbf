"""A report as one HTML page that needs nothing else: no scripts, no fonts, no other files."""

from __future__ import annotations

from base64 import b64encode

from query2box.experiment.report.document import Block, Document, Picture
from query2box.experiment.report.render import html, html_text
from query2box.experiment.report.tables import Table

_STYLE = """
:root { color-scheme: light dark; --ink: #1b1b1b; --soft: #5a5a5a; --line: #d8d8d8;
  --paper: #ffffff; --shade: #f5f5f5; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e8e8; --soft: #a8a8a8; --line: #3c3c3c;
  --paper: #161616; --shade: #202020; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem clamp(0.75rem, 4vw, 2rem) 4rem; max-width: 62rem;
  background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.2; } h2 { font-size: 1.25rem; margin-top: 2.5rem;
  border-top: 1px solid var(--line); padding-top: 1rem; }
nav a { margin-right: 1rem; } a { color: inherit; }
figure { margin: 1.5rem 0; } figcaption { font-weight: 600; margin-bottom: 0.4rem; }
.note { color: var(--soft); font-size: 0.875rem; margin: 0.4rem 0 0; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.875rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.25rem 0.6rem; text-align: right; white-space: nowrap;
  border-bottom: 1px solid var(--line); }
th { font-weight: 600; } .text { text-align: left; white-space: pre-wrap; }
tbody tr:nth-child(even) { background: var(--shade); }
img { display: block; max-width: 100%; height: auto; background: #ffffff; padding: 0.5rem;
  border: 1px solid var(--line); border-radius: 4px; }
@media print { :root { --paper: #fff; --ink: #000; } h2 { break-after: avoid; }
  figure { break-inside: avoid; } nav { display: none; } }
"""


def to_html(document: Document) -> str:
    """The page."""
    links = "".join(
        f'<a href="#section-{number}">{html_text(section.title)}</a>'
        for number, section in enumerate(document.sections)
    )
    body = "".join(
        f'<section id="section-{number}"><h2>{html_text(section.title)}</h2>\n'
        f"{''.join(map(_block, section.blocks))}</section>\n"
        for number, section in enumerate(document.sections)
    )
    title = html_text(document.title)
    return (
        "<!doctype html>\n"
        '<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{_STYLE}</style></head>\n"
        f"<body><h1>{title}</h1>\n<nav>{links}</nav>\n{body}</body></html>\n"
    )


def _block(block: Block) -> str:
    if isinstance(block, Table):
        return html(block)
    if isinstance(block, Picture):
        data = b64encode(block.svg).decode("ascii")
        return (
            f'<figure id="{html_text(block.name)}"><figcaption>{html_text(block.title)}'
            f'</figcaption><img alt="{html_text(block.words)}" '
            f'src="data:image/svg+xml;base64,{data}">'
            f"<p class=note>{html_text(block.words)}</p></figure>\n"
        )
    return f"<p>{html_text(block)}</p>\n"
