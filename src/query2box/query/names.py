"""How questions reach a vocabulary without knowing what a graph is."""

from __future__ import annotations

from typing import Protocol

from query2box.query.nodes import Query, Symbol, rename
from query2box.query.variables import canonical


class Names(Protocol):
    """Looks names up and raises `UnknownNameError` for those it lacks."""

    def entity_id(self, name: str) -> int:
        """The id of an entity given by its name or, where that is unique, by its label."""
        ...

    def relation_id(self, name: str) -> int:
        """The id of a relation; `^` before the name gives the inverse relation's."""
        ...

    def entity_name(self, entity: int) -> str:
        """The name of an entity."""
        ...

    def relation_name(self, relation: int) -> str:
        """The name of a relation, with `^` before it for an inverse one."""
        ...


def bind(query: Query, names: Names) -> Query:
    """The query with ids in place of names; ids are checked to exist."""
    return canonical(
        rename(query, lambda e: bound_entity(e, names), lambda r: bound_relation(r, names))
    )


def bound_entity(symbol: Symbol, names: Names) -> int:
    """The id of an entity; one given by id is checked to exist."""
    if isinstance(symbol, str):
        return names.entity_id(symbol)
    names.entity_name(symbol)
    return symbol


def bound_relation(symbol: Symbol, names: Names) -> int:
    """The directed id of a relation; one given by id is checked to exist."""
    if isinstance(symbol, str):
        return names.relation_id(symbol)
    names.relation_name(symbol)
    return symbol


def unbind(query: Query, names: Names) -> Query:
    """The query with names in place of ids, but for ids whose names would not lead back."""
    return canonical(
        rename(query, lambda e: _entity_word(e, names), lambda r: _relation_word(r, names))
    )


def _entity_word(symbol: Symbol, names: Names) -> Symbol:
    return symbol if isinstance(symbol, str) else names.entity_name(symbol) or symbol


def _relation_word(symbol: Symbol, names: Names) -> Symbol:
    if isinstance(symbol, str):
        return symbol
    forward = names.relation_name(symbol & ~1)
    if not forward or forward.startswith("^"):
        return symbol
    return names.relation_name(symbol)
