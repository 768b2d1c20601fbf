"""Query files: one JSON object a line.

    {"structure": "2i", "query": Q, "easy": [entities], "hard": [entities]}

`query` is what `query.codec` reads, or the text of a formula or of SPARQL.
Entities stand by id or by name. `structure` may be left out, and so may the
answers; a line that has `answers` alone has easy ones only.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import numpy as np

from query2box.errors import DataError, QueryError
from query2box.graph.adjacency import IntArray
from query2box.graph.files import atomic_text, open_text
from query2box.graph.knowledge_graph import KnowledgeGraph
from query2box.query.codec import Json, from_json, to_json
from query2box.query.names import bind
from query2box.query.nodes import Query, rename
from query2box.query.skeleton import skeleton_of, slot_counts, structure_name
from query2box.workload.query_set import QueryGroup, QuerySet, Ragged

Document = dict[str, Json]


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


def read_query(value: Json, graph: KnowledgeGraph) -> Query:
    """The query of a line, by id, from nested lists or from text."""
    if isinstance(value, str):
        from query2box.query.language import parse

        return bind(parse(value, graph), graph)
    return from_json(_with_ids(value, graph))


def names_entities(value: Json) -> bool:
    """Whether a line's query gives its entities by name, as a text always does."""
    match value:
        case str() | ["e", str()]:
            return True
        case [_, *parts]:
            return any(names_entities(part) for part in parts if isinstance(part, list))
    return False


def read_queries(path: str | Path, graph: KnowledgeGraph) -> QuerySet:
    """The queries of a file, by id, packed; a bad line is an error that names it."""
    builders: dict[tuple[str, Query], _Builder] = {}
    order: list[int] = []
    for number, document in read_documents(path):
        try:
            query = read_query(document["query"], graph)
            name = document.get("structure", "") or structure_name(query)
            if not isinstance(name, str):
                raise DataError("the structure's name is no text")
            skeleton, entities, relations = skeleton_of(query)
            builder = builders.setdefault((name, skeleton), _Builder(len(builders)))
            easy = document.get(
                "easy", document.get("answers", []) if "hard" not in document else []
            )
            builder.add(
                number,
                cast("tuple[int, ...]", entities),
                cast("tuple[int, ...]", relations),
                _entity_ids(easy, graph),
                _entity_ids(document.get("hard", []), graph),
            )
        except (QueryError, DataError, OverflowError) as error:
            raise DataError(str(error), path, number) from error
        except RecursionError as error:
            raise DataError("the query is nested too deep", path, number) from error
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
            query = rename(
                group.query(row),
                lambda e: graph.entity_name(cast("int", e)) if names else e,
                lambda r: graph.relation_name(cast("int", r)),
            )
            document: Document = {
                "structure": group.structure,
                "query": cast("Json", to_json(query)),
                "easy": entity_list(group.easy[row], graph, names),
                "hard": entity_list(group.hard[row], graph, names),
            }
            file.write(to_line(document))


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
        case ["e", str(entity)]:
            return ["e", graph.entity_id(entity)]
        case ["e", int(entity)]:
            graph.entity_name(entity)
        case ["p", str(relation), operand]:
            return ["p", graph.relation_id(relation), _with_ids(operand, graph)]
        case ["p", int(relation), operand]:
            graph.relation_name(relation)
            return ["p", relation, _with_ids(operand, graph)]
        case [_, *_]:
            return [_with_ids(part, graph) for part in value]
    return value


def _entity_ids(values: Json, graph: KnowledgeGraph) -> list[int]:
    if not isinstance(values, list) or not set(map(type, values)) <= {int, str}:
        raise DataError("answers are a list of ids or of names")
    if str in map(type, values):
        return [graph.entity_id(v) if isinstance(v, str) else cast("int", v) for v in values]
    return cast("list[int]", values)


class _Builder:
    """A group that grows line by line."""

    def __init__(self, index: int) -> None:
        self.index = index
        self.lines: list[int] = []
        self.entities, self.relations = array("i"), array("i")
        self.answers = array("i"), array("i")
        self.counts: tuple[list[int], list[int]] = [], []

    def add(
        self,
        line: int,
        entities: tuple[int, ...],
        relations: tuple[int, ...],
        *answers: list[int],
    ) -> None:
        self.lines.append(line)
        self.entities.extend(entities)
        self.relations.extend(relations)
        for packed, counts, values in zip(self.answers, self.counts, answers, strict=True):
            packed.fromlist(values)
            counts.append(len(values))

    def group(self, name: str, skeleton: Query, num_entities: int, path: str | Path) -> QueryGroup:
        easy, hard = (
            Ragged.from_counts(counts, np.frombuffer(packed, np.int32) if packed else _NOTHING)
            for packed, counts in zip(self.answers, self.counts, strict=True)
        )
        for answers in (easy, hard):
            outside = (answers.values < 0) | (answers.values >= num_entities)
            if outside.any():
                first = int(np.argmax(outside))
                raise DataError(
                    f"the graph has no entity of id {answers.values[first]}",
                    path,
                    self.lines[int(answers.rows[first])],
                )
        slots = slot_counts(skeleton)
        size = len(self.lines)
        return QueryGroup(
            name,
            skeleton,
            np.array(self.entities, np.int32).reshape(size, slots[0]),
            np.array(self.relations, np.int32).reshape(size, slots[1]),
            easy.ascending(),
            hard.ascending(),
        )


_NOTHING = np.empty(0, np.int32)
