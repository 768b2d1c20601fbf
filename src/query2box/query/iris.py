"""Names as IRIs: names that are IRIs stand for themselves, others are percent-encoded.

http://example.org/France    <http://example.org/France>
New York                     <urn:q2b:New%20York>
the entity with id 17        <urn:q2b:#17>
"""

from __future__ import annotations

import re
from urllib.parse import quote, unquote

from query2box.query.nodes import Symbol

NAMESPACE = "urn:q2b:"

_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>\"{}|^`\\]*")
_ID = re.compile(r"#[0-9]{1,18}")


def to_iri(symbol: Symbol) -> str:
    """The IRI of a name or an id."""
    if isinstance(symbol, int):
        return f"{NAMESPACE}#{symbol}"
    if _IRI.fullmatch(symbol) and not symbol.startswith(NAMESPACE):
        return symbol
    return NAMESPACE + quote(symbol, safe="", errors="surrogatepass")


def from_iri(iri: str) -> Symbol:
    """The name or the id that an IRI stands for; UnicodeDecodeError if it is not UTF-8."""
    local = iri.removeprefix(NAMESPACE)
    if local == iri and _IRI.fullmatch(iri):
        return iri
    if _ID.fullmatch(local):
        return int(local[1:])
    return unquote(local, errors="surrogatepass")
