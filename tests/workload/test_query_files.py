"""Query files: what is written is read again, and what is wrong is told with its place."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oracle import denote
from query2box.errors import DataError
from query2box.graph.knowledge_graph import KnowledgeGraph
from query2box.query.codec import to_json
from query2box.query.names import unbind
from query2box.query.nodes import Query, intersection
from query2box.query.skeleton import structure_name
from query2box.query.variables import canonical
from query2box.workload.answer_file import Answered, answer_file
from query2box.workload.query_files import read_queries, write_queries
from query2box.workload.query_set import QuerySet
from strategies import NUM_ENTITIES, graphs, make_graph, queries

entity_lists = st.lists(st.integers(0, NUM_ENTITIES - 1), unique=True).map(sorted)
GRAPH = make_graph([(0, 0, 1), (1, 1, 2), (0, 1, 2)])


def write(path: Path, documents: list[object]) -> Path:
    path.write_text("".join(json.dumps(document) + "\n" for document in documents))
    return path


def listed(found: QuerySet) -> list[tuple[str, Query, list[int], list[int]]]:
    """Each line, in the order of the file."""
    return [
        (g.structure, canonical(g.query(r)), g.easy[r].tolist(), g.hard[r].tolist())
        for g, r in found
    ]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(
    st.lists(
        st.tuples(
            queries(), st.sampled_from([None, "mine"]), entity_lists, entity_lists, st.booleans()
        ),
        max_size=6,
    ),
    st.booleans(),
)
def test_there_and_back(tmp_path: Path, lines: list, names: bool) -> None:
    def word(entity: int) -> int | str:
        return GRAPH.entity_name(entity) if names else entity

    documents = []
    for query, structure, easy, hard, by_name in lines:
        document: dict[str, object] = {
            "query": to_json(unbind(query, GRAPH) if by_name else query),
            "easy": [*map(word, easy)],
            "hard": [*map(word, hard)],
        }
        documents.append(document | ({"structure": structure} if structure else {}))
    expected = [
        (structure or structure_name(query), query, easy, hard)
        for query, structure, easy, hard, _ in lines
    ]
    first = read_queries(write(tmp_path / "q.jsonl", documents), GRAPH)
    assert listed(first) == expected
    # Groups have one name and one skeleton each.
    assert len({(g.structure, g.skeleton) for g in first.groups}) == len(first.groups)
    for path in (tmp_path / "again.jsonl", tmp_path / "again.jsonl.gz"):
        write_queries(path, first, GRAPH, names)
        assert listed(read_queries(path, GRAPH)) == expected


def test_published_lines_are_written_as_they_were(tmp_path: Path) -> None:
    lines = [
        '{"structure":"1p","query":["p","r1",["e",1]],"easy":[],"hard":[2]}',
        '{"structure":"2i","query":["i",["p","r0",["e",0]],["p","^r1",["e",2]]],"easy":[1],"hard":[]}',
        '{"structure":"1p","query":["p","^r0",["e",1]],"easy":[0],"hard":[]}',
    ]
    path = tmp_path / "q.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    write_queries(tmp_path / "out.jsonl", read_queries(path, GRAPH), GRAPH)
    assert (tmp_path / "out.jsonl").read_text().splitlines() == lines


def test_equal_branches_keep_the_name_of_the_structure(tmp_path: Path) -> None:
    branch = ["p", "r0", ["e", 0]]
    documents = [
        {"structure": "2i", "query": ["i", branch, branch]},
        {"structure": "2i", "query": ["i", branch, ["p", "r0", ["e", 1]]]},
    ]
    found = read_queries(write(tmp_path / "q.jsonl", documents), GRAPH)
    assert [(g.structure, structure_name(g.skeleton)) for g in found.groups] == [
        ("2i", "1p"),
        ("2i", "2i"),
    ]


def test_text_and_answers_alone(tmp_path: Path) -> None:
    documents = [
        {"query": "?x : r0(e0, ?x)", "answers": ["e1"]},
        {"query": "SELECT ?x { <e0> <r1> ?x }", "answers": [2, 0, 2]},
        {"query": ["p", 3, ["e", "e2"]], "structure": None},
    ]
    found = read_queries(write(tmp_path / "q.jsonl", documents), GRAPH)
    assert [g.structure for g in found.groups] == ["1p"]
    assert [row.tolist() for row in found.groups[0].easy] == [[1], [0, 2], []]
    assert found.groups[0].relations[:, 0].tolist() == [0, 2, 3]


GOOD = {"query": ["p", "r0", ["e", 0]]}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ("[]", 'a JSON object with a "query"'),
        ('{"structure": "1p"}', 'a JSON object with a "query"'),
        ('{"query": ["p", "r0", ["e", 7]]}', "unknown entity '#7'"),
        ('{"query": ["p", "r0", ["e", -1]]}', "unknown entity"),
        ('{"query": ["p", "r0", ["e", true]]}', "name or an id"),
        ('{"query": ["p", "r0", ["e", "e77"]]}', "unknown entity 'e77'"),
        ('{"query": ["p", "nope", ["e", 0]]}', "unknown relation 'nope'"),
        ('{"query": ["p", 6, ["e", 0]]}', "unknown relation"),
        ('{"query": ["q"]}', "a query is"),
        ('{"query": ["e", 0]}', "constant"),
        ('{"query": 3}', "a query is"),
        ('{"query": ["n", ["p", "r0", ["e", 0]]]}', "a query is"),
        ('{"query": "?x : r0(e0, ?y)"}', ""),
        ('{"query": ' + '["p", "r0", ' * 500 + '["e", 0]' + "]" * 500 + "}", "nested"),
        ('{"query": ["p", "r0", ["e", 0]], "easy": 3}', "a list of ids or of names"),
        ('{"query": ["p", "r0", ["e", 0]], "hard": [true]}', "a list of ids or of names"),
        ('{"query": ["p", "r0", ["e", 0]], "hard": [0.5]}', "a list of ids or of names"),
        ('{"query": ["p", "r0", ["e", 0]], "hard": [1, 7]}', "no entity of id 7"),
        ('{"query": ["p", "r0", ["e", 0]], "easy": [-1]}', "no entity of id -1"),
        ('{"query": ["p", "r0", ["e", 0]], "easy": [99999999999]}', "out of range"),
        ('{"query": ["p", "r0", ["e", 0]], "easy": ["e9"]}', "unknown entity 'e9'"),
        ('{"query": ["p", "r0", ["e", 0]], "structure": 5}', "structure is text"),
    ],
)
def test_bad_lines_are_named(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text(f"{json.dumps(GOOD)}\n\n{line}\n{json.dumps(GOOD)}\n")
    with pytest.raises(DataError) as caught:
        read_queries(path, GRAPH)
    assert (caught.value.path, caught.value.line) == (str(path), 3)
    assert message in str(caught.value)


def test_an_empty_file_has_no_queries(tmp_path: Path) -> None:
    assert len(read_queries(write(tmp_path / "q.jsonl", []), GRAPH)) == 0


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=20)
@given(graphs(), st.lists(st.tuples(queries(), st.booleans()), max_size=5))
def test_answers_are_added(tmp_path: Path, graph: KnowledgeGraph, lines: list) -> None:
    documents = [
        {"query": to_json(unbind(query, graph) if by_name else query), "note": ["kept", 1]}
        for query, by_name in lines
    ]
    source, out = write(tmp_path / "q.jsonl", documents), tmp_path / "out.jsonl"
    done = answer_file(source, graph, out)
    found = [json.loads(line) for line in out.read_text().splitlines()]
    for document, answered, (query, by_name) in zip(documents, found, lines, strict=True):
        answers = sorted(denote(query, graph))
        expected = [graph.entity_name(e) for e in answers] if by_name else answers
        assert answered == {**document, "answers": expected}
    assert done == Answered(len(lines), sum(len(document["answers"]) for document in found))


def test_a_bad_line_leaves_nothing_behind(tmp_path: Path) -> None:
    source = write(tmp_path / "q.jsonl", [GOOD, {"query": ["p", "nope", ["e", 0]]}])
    with pytest.raises(DataError, match=r"q\.jsonl:2: unknown relation 'nope'"):
        answer_file(source, GRAPH, tmp_path / "out.jsonl")
    assert [path.name for path in tmp_path.iterdir()] == ["q.jsonl"]


def test_text_is_answered_by_name(tmp_path: Path) -> None:
    source = write(tmp_path / "q.jsonl", [{"query": "?x : r1(?y, ?x) & r0(e0, ?y)"}])
    answer_file(source, GRAPH, tmp_path / "out.jsonl")
    assert json.loads((tmp_path / "out.jsonl").read_text())["answers"] == ["e2"]


def test_order_of_operands_does_not_matter(tmp_path: Path) -> None:
    parts = [["p", "r0", ["e", 3]], ["p", "r0", ["e", 1]], ["p", "r1", ["p", "r0", ["e", 2]]]]
    documents = [{"query": ["i", *parts]}, {"query": ["i", *parts[::-1]]}]
    found = read_queries(write(tmp_path / "q.jsonl", documents), GRAPH)
    (group,) = found.groups
    assert group.query(0) == group.query(1)
    assert group.query(0) == intersection(group.query(0))
    assert np.array_equal(group.entities[0], group.entities[1])
