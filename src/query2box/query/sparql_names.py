"""Names in a SPARQL text: what its IRIs and literals stand for."""

from __future__ import annotations

from query2box.errors import QuerySyntaxError
from query2box.query.iris import from_iri
from query2box.query.syntax import Name, undoubled


def name_of_iri(iri: str, text: str, place: int | None, relation: bool = False) -> Name:
    """The entity or the relation that an IRI at a place of a text stands for."""
    try:
        symbol = from_iri(iri)
    except UnicodeDecodeError:
        raise QuerySyntaxError(f"<{iri}> does not spell UTF-8", text, place) from None
    if isinstance(symbol, str):
        symbol = not_empty(symbol, text, place)
    if relation and isinstance(symbol, str):
        symbol = undoubled(symbol)
        not_empty(symbol.removeprefix("^"), text, place)
    return Name(symbol, place, None if symbol == iri else iri)


def not_empty(name: str, text: str, place: int | None) -> str:
    """The name, unless it has no letters."""
    if not name:
        raise QuerySyntaxError("a name cannot be empty", text, place)
    return name
