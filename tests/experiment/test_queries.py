from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from families import families
from query2box.errors import DataError
from query2box.experiment import queries as module
from query2box.experiment.queries import (
    at_most,
    evaluation_queries,
    query_file,
    read_hard_queries,
)
from query2box.graph.knowledge_graph import KnowledgeGraph

GRAPH = families(held_out=8)


def test_the_datasets_own_queries_count(families_data: Path) -> None:
    graph = KnowledgeGraph.load(families_data)
    groups = evaluation_queries(graph, "valid", families_data)
    assert [(group.structure, len(group)) for group in groups] == [("1p", 6), ("2i", 6), ("2u", 6)]


def test_query_files_may_be_gzipped(tmp_path: Path) -> None:
    assert query_file(tmp_path, "valid") is None
    assert query_file(None, "valid") is None
    with gzip.open(tmp_path / "valid-queries.jsonl.gz", "wt") as file:
        file.write('{"query": ["p", 0, ["e", 0]], "hard": [1]}\n')
    assert query_file(tmp_path, "valid") == tmp_path / "valid-queries.jsonl.gz"
    assert query_file(tmp_path, "test") is None
    assert len(evaluation_queries(GRAPH, "valid", tmp_path)) == 1


def test_without_a_file_queries_are_sampled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SAMPLED", 5)
    groups = evaluation_queries(GRAPH, "test", tmp_path, limit=3)
    assert {len(group) for group in groups} == {3}
    assert all((group.hard.counts > 0).all() for group in groups)
    assert len(groups) > 5


@pytest.mark.parametrize("split", ["valid", "test"])
def test_a_graph_without_the_split(split: str) -> None:
    with pytest.raises(DataError, match=f"no {split} edges to ask for"):
        evaluation_queries(families(), split)


def test_queries_without_hard_answers_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "queries.jsonl"
    lines = [
        {"query": ["p", 0, ["e", 0]], "easy": [1], "hard": []},
        {"query": ["p", 0, ["e", 1]], "hard": [2]},
        {"query": ["p", 0, ["p", 0, ["e", 1]]], "easy": [2]},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    (group,) = read_hard_queries(path, GRAPH)
    assert group.entities.tolist() == [[1]]


@pytest.mark.parametrize("text", ["", '{"query": ["p", 0, ["e", 0]]}\n'])
def test_a_file_without_a_hard_answer(tmp_path: Path, text: str) -> None:
    path = tmp_path / "queries.jsonl"
    path.write_text(text)
    with pytest.raises(DataError, match=r"queries\.jsonl: no query in this file has a hard answer"):
        read_hard_queries(path, GRAPH)


def test_a_limit_chooses_the_same_queries_each_time(families_data: Path) -> None:
    group = evaluation_queries(GRAPH, "valid", families_data)[0]
    some = at_most(group, 4)
    assert len(some) == 4
    assert np.array_equal(some.entities, at_most(group, 4).entities)
    assert at_most(group, 0) is group
    assert at_most(group, 6) is group
    assert at_most(group, 7) is group
