"""RDF: N-Triples and Turtle.

An IRI is a name as it stands, but `urn:q2b:` ones stand for what they spell,
percent-decoded; a blank node is `_:x`. Literals are no entities: those of label
properties become labels, others are counted and left out.

Deviation: RDF keeps the blank nodes of two files apart. Here one label is one
node in all files of an import, so that the splits of a graph may share it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from io import TextIOWrapper
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import unquote

from query2box.errors import DataError
from query2box.graph.files import open_binary
from query2box.graph.readers.lines import blocks, decoded
from query2box.graph.readers.reading import Batch, Reading, batched, fault

if TYPE_CHECKING:
    import pyoxigraph as ox

URN = "urn:q2b:"
_LABELS = frozenset(
    {
        "http://www.w3.org/2000/01/rdf-schema#label",
        "http://www.w3.org/2004/02/skos/core#prefLabel",
        "http://schema.org/name",
        "https://schema.org/name",
    }
)
# What the parser calls a blank node without a label, as Turtle has them: a random number.
_RANDOM = re.compile(r"[0-9a-f]{24,32}")


def read_ntriples(path: Path, reading: Reading) -> Iterator[Batch]:
    """The edges of an N-Triples file."""
    return batched(_edges(_ntriples(path, reading), path, reading, label_of=str))


def read_turtle(path: Path, reading: Reading) -> Iterator[Batch]:
    """The edges of a Turtle file."""
    known: dict[str, str] = {}

    def label_of(blank_node: str) -> str:
        # Random names become numbers, so that an import can be repeated.
        if _RANDOM.fullmatch(blank_node) and blank_node not in known:
            reading.anonymous_nodes += 1
            known[blank_node] = f"anonymous{reading.anonymous_nodes}"
        return known.get(blank_node, blank_node)

    return batched(_edges(_turtle(path, reading), path, reading, label_of))


def _ntriples(path: Path, reading: Reading) -> Iterator[ox.Quad]:
    from pyoxigraph import RdfFormat

    for line, block in blocks(path):
        text = "\n".join(text for _, text in decoded(line, block, path, reading))
        yield from _statements(text, RdfFormat.N_TRIPLES, path, reading, line)


def _turtle(path: Path, reading: Reading) -> Iterator[ox.Quad]:
    from pyoxigraph import RdfFormat

    with open_binary(path) as raw:
        # Bytes that are no UTF-8 would take the rest of the file with them.
        source: IO[Any] = TextIOWrapper(raw, "utf-8", "replace") if reading.skip_bad_lines else raw
        yield from _statements(source, RdfFormat.TURTLE, path, reading)


def _statements(
    source: str | IO[Any], syntax: ox.RdfFormat, path: Path, reading: Reading, line: int = 1
) -> Iterator[ox.Quad]:
    """The statements of a text that begins on a line; the parser goes on after bad ones."""
    from pyoxigraph import parse

    parser = parse(source, format=syntax)
    last = None
    while True:
        try:
            yield next(parser)
        except StopIteration:
            return
        except SyntaxError as error:
            # The parser may stumble several times over one line.
            if error.lineno is None or error.lineno != last:
                last = error.lineno
                message = error.msg.partition(": ")[2]
                reading.bad_line(message, path, None if last is None else line + last - 1)
        except MemoryError as error:
            raise DataError("a statement is too long", path) from error


def _edges(
    quads: Iterable[ox.Quad], path: Path, reading: Reading, label_of: Callable[[str], str]
) -> Iterator[tuple[str, str, str]]:
    """The statements between two nodes, by name; `label_of` labels blank nodes."""
    from pyoxigraph import BlankNode, Literal, NamedNode

    def name(node: NamedNode | BlankNode) -> str:
        if isinstance(node, BlankNode):
            return f"_:{label_of(node.value)}"
        iri = node.value
        return unquote(iri[len(URN) :]) if iri.startswith(URN) else iri

    nodes = (NamedNode, BlankNode)
    for subject, predicate, object_, _ in quads:
        if isinstance(subject, nodes) and isinstance(object_, nodes):
            edge = name(subject), name(predicate), name(object_)
            trouble = fault(edge)
            if trouble is None:
                yield edge
            else:
                reading.bad_line(trouble, path, None)
        elif isinstance(object_, Literal) and predicate.value in _LABELS:
            reading.add_label(name(subject), object_.value, object_.language in (None, "en"))
        else:
            reading.literals += 1
