"""Query files: one JSON object a line.

    {"structure": "2i", "query": Q, "easy": [entities], "hard": [entities]}

`query` is what `query.codec` reads, or the text of a formula or of SPARQL.
Entities stand by id or by name. `structure` may be left out, and so may the
answers; where a line has `answers` alone, they are easy ones.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias, cast

import numpy as np

from query2box.errors import DataError, QueryError
from query2box.graph.adjacency import IntArray
from query2box.graph.files import atomic_text, open_text
from query2box.graph.knowledge_graph import KnowledgeGraph
from query2box.query.codec import Json, from_json, to_json
from query2box.query.names import bound_entity, bound_relation, unbind
from query2box.query.nodes import Query, rename
from query2box.query.skeleton import skeleton_of, slot_counts, structure_name
from query2box.workload.query_set import QueryGroup, QuerySet, Ragged

Document: TypeAlias = dict[str, Json]


def read_queries(path: str | Path, graph: KnowledgeGraph) -> QuerySet:
    """The queries of a file, by id, packed; a bad line is an error that names it."""
    builders: dict[tuple[str, Query], _Builder] = {}
    order: list[int] = []
    for number, document in read_documents(path):
        with at_line(path, number):
            query = read_query(document["query"], graph)
            name = document.get("structure") or structure_name(query)
            if not isinstance(name, str):
                raise DataError("the name of a structure is text")
            skeleton, entities, relations = skeleton_of(query)
            builder = builders.get((name, skeleton))
            if builder is None:
                builder = builders[name, skeleton] = _Builder(len(builders))
            easy = document.get("answers", []) if "hard" not in document else []
            builder.lines.append(number)
            builder.entities.extend(cast("tuple[int, ...]", entities))
            builder.relations.extend(cast("tuple[int, ...]", relations))
            builder.easy.append(_entity_ids(document.get("easy", easy), graph))
            builder.hard.append(_entity_ids(document.get("hard", []), graph))
            order.append(builder.index)
    groups = (
        builder.group(name, skeleton, graph.num_entities, path)
        for (name, skeleton), builder in builders.items()
    )
    return QuerySet(tuple(groups), np.array(order, np.int32))


def write_queries(
    path: str | Path, queries: QuerySet, graph: KnowledgeGraph, names: bool = False
) -> None:
    """Write a query file; entities stand by id, or by name if `names` says so."""
    with atomic_text(path) as file:
        for group, row in queries:
            query = group.query(row)
            named = unbind(query, graph) if names else _with_relation_names(query, graph)
            document: Document = {
                "structure": group.structure,
                "query": cast("Json", to_json(named)),
                "easy": entity_list(group.easy[row], graph, names),
                "hard": entity_list(group.hard[row], graph, names),
            }
            file.write(to_line(document))


def read_documents(path: str | Path) -> Iterator[tuple[int, Document]]:
    """The lines of a query file with their numbers; empty lines are passed over."""
    with open_text(path) as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                document = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise DataError(f"this is no JSON ({error})", path, number) from error
            if not isinstance(document, dict) or "query" not in document:
                raise DataError('a line is a JSON object with a "query"', path, number)
            yield number, document


@contextmanager
def at_line(path: str | Path, number: int) -> Iterator[None]:
    """What is wrong with a line is told with its place."""
    try:
        yield
    except (QueryError, DataError) as error:
        raise DataError(str(error), path, number) from error
    except RecursionError as error:
        raise DataError("the query is nested too deep", path, number) from error


def read_query(value: Json, graph: KnowledgeGraph) -> Query:
    """The query of a line, by id, from nested lists or from text."""
    if isinstance(value, str):
        from query2box.query.language import parse

        return parse(value, graph)
    return from_json(_with_ids(value, graph))


def names_entities(value: Json) -> bool:
    """Whether a line's query gives its entities by name, as text always does."""
    match value:
        case str() | ["e", str()]:
            return True
        case [_, *parts]:
            return any(names_entities(part) for part in parts if isinstance(part, list))
    return False


def entity_list(entities: IntArray, graph: KnowledgeGraph, names: bool) -> list[Json]:
    """Entities as a line has them, by name or by id."""
    ids = entities.tolist()
    return [graph.entity_name(entity) for entity in ids] if names else ids


def to_line(document: Document) -> str:
    """One line of a query file."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")) + "\n"


def _with_ids(value: Json, graph: KnowledgeGraph) -> Json:
    """The nested lists with ids in place of names; what is no query is left as it is.

    Names are looked up before the query is built, because operands sort by id.
    """
    match value:
        case ["e", int() | str() as entity]:
            return ["e", bound_entity(entity, graph)]
        case ["p", int() | str() as relation, operand]:
            return ["p", bound_relation(relation, graph), _with_ids(operand, graph)]
        case [_, *_]:
            return [_with_ids(part, graph) for part in value]
    return value


def _with_relation_names(query: Query, graph: KnowledgeGraph) -> Query:
    return rename(query, lambda e: e, lambda r: graph.relation_name(cast("int", r)))


def _entity_ids(values: Json, graph: KnowledgeGraph) -> list[int]:
    if not isinstance(values, list) or not set(map(type, values)) <= {int, str}:
        raise DataError("answers are a list of ids or of names")
    if str in map(type, values):
        return [bound_entity(cast("int | str", value), graph) for value in values]
    return cast("list[int]", values)


class _Rows:
    """A `Ragged` that grows row by row."""

    def __init__(self) -> None:
        self.values = array("i")
        self.counts: list[int] = []

    def append(self, row: list[int]) -> None:
        try:
            self.values.fromlist(row)
        except OverflowError as error:
            raise DataError("an answer's id is out of range") from error
        self.counts.append(len(row))

    def ragged(self) -> Ragged:
        return Ragged.from_counts(self.counts, _packed(self.values))


class _Builder:
    """A `QueryGroup` that grows line by line."""

    def __init__(self, index: int) -> None:
        self.index = index
        self.lines: list[int] = []
        self.entities, self.relations = array("i"), array("i")
        self.easy, self.hard = _Rows(), _Rows()

    def group(self, name: str, skeleton: Query, num_entities: int, path: str | Path) -> QueryGroup:
        easy, hard = self.easy.ragged(), self.hard.ragged()
        for answers in (easy, hard):
            outside = np.flatnonzero((answers.values < 0) | (answers.values >= num_entities))
            if len(outside):
                message = f"the graph has no entity of id {answers.values[outside[0]]}"
                raise DataError(message, path, self.lines[answers.rows[outside[0]]])
        anchors, projections = slot_counts(skeleton)
        return QueryGroup(
            name,
            skeleton,
            _packed(self.entities).reshape(-1, anchors),
            _packed(self.relations).reshape(-1, projections),
            easy.ascending(),
            hard.ascending(),
        )


def _packed(values: array[int]) -> IntArray:
    return np.array(values, np.int32)
