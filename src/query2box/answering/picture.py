"""A witness as a picture (SVG): the question's graph with an entity at each node.

Constants stand on the left, the answer on the right. Stored edges are solid,
predicted ones dashed and marked with their probability.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import TypeAlias

from query2box.answering.explanation import TARGET, Atom, End, Explanation

Place: TypeAlias = tuple[int, int]

COLUMN, ROW = 350, 90
WIDTH, HEIGHT = 170, 44
MARGIN = 20
LONGEST = 24

_STYLE = """
  text { font: 13px sans-serif; text-anchor: middle; fill: #1b1f24 }
  .small { font-size: 11px; fill: #57606a }
  .node { fill: #f6f8fa; stroke: #8c959f }
  .answer { fill: #ddf4ff; stroke: #0969da; stroke-width: 2 }
  .edge { fill: none; stroke-width: 1.6 }
  .known { stroke: #1a7f37 }
  .predicted { stroke: #bc4c00; stroke-dasharray: 6 4 }
  .label { paint-order: stroke; stroke: #ffffff; stroke-width: 4 }
"""


@dataclass(frozen=True, slots=True)
class _Node:
    """A variable with its value, or a constant; equal constants are one node."""

    variable: str | None
    entity: int
    label: str

    @classmethod
    def of(cls, end: End) -> _Node:
        return cls(end.variable, end.id, end.label)


def draw(explanation: Explanation) -> str:
    """The best witness of an explanation as an SVG document."""
    atoms = explanation.best.atoms
    places = _layout(atoms)
    width = max(x for x, _ in places.values()) + WIDTH + MARGIN
    height = max(y for _, y in places.values()) + HEIGHT + MARGIN
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">',
        f"<title>Why {_text(explanation.answer.label)}</title>",
        f"<style>{_STYLE}</style>",
        f"<defs>{_arrowhead('known', '#1a7f37')}{_arrowhead('predicted', '#bc4c00')}</defs>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        *_edges(atoms, places),
        *(_node(node, place) for node, place in places.items()),
        "</svg>\n",
    ]
    return "\n".join(parts)


def _layout(atoms: tuple[Atom, ...]) -> dict[_Node, Place]:
    """Columns by the longest way to the answer, rows in the order of the atoms."""
    leads_to: dict[_Node, list[_Node]] = defaultdict(list)
    for atom in atoms:
        leads_to[_Node.of(atom.source)].append(_Node.of(atom.destination))
    depths: dict[_Node, int] = {}

    def depth(node: _Node) -> int:
        if node not in depths:
            depths[node] = max((1 + depth(after) for after in leads_to.get(node, ())), default=0)
        return depths[node]

    deepest = max(depth(node) for node in list(leads_to))
    columns: dict[int, list[_Node]] = defaultdict(list)
    for node, far in depths.items():
        columns[far].append(node)
    tallest = max(map(len, columns.values()))
    return {
        node: (
            MARGIN + COLUMN * (deepest - far),
            MARGIN + ROW * row + ROW * (tallest - len(nodes)) // 2,
        )
        for far, nodes in columns.items()
        for row, node in enumerate(nodes)
    }


def _edges(atoms: tuple[Atom, ...], places: dict[_Node, Place]) -> Iterator[str]:
    """Arrows along the stored direction, each with its relation; parallel ones keep apart."""
    between: Counter[frozenset[_Node]] = Counter()
    for atom in atoms:
        source, destination = _Node.of(atom.source), _Node.of(atom.destination)
        pair = frozenset((source, destination))
        shift = 30 * between[pair]
        between[pair] += 1
        start = places[source][0] + WIDTH, places[source][1] + HEIGHT // 2
        end = places[destination][0], places[destination][1] + HEIGHT // 2
        middle = (start[0] + end[0]) // 2, (start[1] + end[1]) // 2 + shift
        kind = "known" if atom.known else "predicted"
        ways = (start, end) if atom.forward else (end, start)
        curve = "M {} {} Q {} {} {} {}".format(*ways[0], middle[0], middle[1] + shift, *ways[1])
        yield f'<path class="edge {kind}" d="{curve}" marker-end="url(#{kind})"/>'
        text = atom.relation if atom.known else f"{_cut(atom.relation)} ({atom.probability:.2f})"
        yield _line(text, middle[0], middle[1] - 5, "small label")


def _node(node: _Node, place: Place) -> str:
    x, y = place
    kind = "answer" if node.variable == TARGET else "node"
    box = f'<rect class="{kind}" x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="8"/>'
    middle = x + WIDTH // 2
    if node.variable is None:
        return box + _line(node.label, middle, y + HEIGHT // 2 + 5)
    return (
        box
        + _line(node.label, middle, y + HEIGHT // 2)
        + _line(node.variable, middle, y + HEIGHT - 7, "small")
    )


def _line(text: str, x: int, y: int, kind: str = "") -> str:
    return f'<text class="{kind}" x="{x}" y="{y}">{_text(_cut(text))}</text>'


def _arrowhead(kind: str, colour: str) -> str:
    return (
        f'<marker id="{kind}" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" '
        f'markerHeight="8" orient="auto-start-reverse">'
        f'<path d="M 0 0 L 8 4 L 0 8 z" fill="{colour}"/></marker>'
    )


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "\u2026"


def _text(text: str) -> str:
    """Text as XML has it; characters that XML cannot have at all are left out."""
    return escape("".join(c if c.isprintable() else " " for c in text))
