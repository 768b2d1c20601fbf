"""How questions reach a vocabulary without knowing what a graph is."""

from __future__ import annotations

from typing import Protocol

from query2box.query.nodes import Query, rename
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
        rename(
            query,
            lambda e: names.entity_id(e if isinstance(e, str) else names.entity_name(e)),
            lambda r: names.relation_id(r if isinstance(r, str) else names.relation_name(r)),
        )
    )


def unbind(query: Query, names: Names) -> Query:
    """The query with names in place of ids."""
    return canonical(
        rename(
            query,
            lambda e: e if isinstance(e, str) else names.entity_name(e),
            lambda r: r if isinstance(r, str) else names.relation_name(r),
        )
    )
