"""The plain sampler draws what the paper describes, and the kernels draw the same."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings

from oracle import denote
from query2box.errors import UnsupportedQueryError
from query2box.query.nodes import Anchor, Query, Variable, projection
from query2box.query.skeleton import STRUCTURES
from query2box.workload.comparison import compare_workload
from query2box.workload.plain import PlainGraph, plain_answers, plain_sample
from query2box.workload.sampler import sample_queries
from strategies import make_graph, tree_queries

EDGES = [(0, 0, 1), (0, 0, 2), (1, 1, 2), (2, 0, 3), (3, 1, 1), (4, 1, 3), (4, 0, 0)]
GRAPH = make_graph(EDGES)
PLAIN = PlainGraph(EDGES)


@settings(max_examples=50)
@given(tree_queries())
def test_answers(query: Query) -> None:
    assert plain_answers(query, PLAIN) == denote(query, GRAPH)


@pytest.mark.parametrize("name", STRUCTURES)
def test_both_samplers_draw_alike(name: str) -> None:
    """The same queries, each about as often."""
    random = Random(0)
    total = 4_000
    plain = Counter(plain_sample(STRUCTURES[name], PLAIN, random)[0] for _ in range(total))
    group = sample_queries(GRAPH.adjacency, STRUCTURES[name], total, 0)
    ours = Counter(group.query(row) for row in range(total))
    # Half the sum of differences is what two samples of one distribution miss each other by.
    distance = sum(abs(plain[query] - ours[query]) for query in plain | ours) / (2 * total)
    expected = sum((plain[query] + ours[query]) ** 0.5 for query in plain | ours) / (2 * total)
    assert distance < 1.2 * expected


def test_shared_variables_are_refused() -> None:
    with pytest.raises(UnsupportedQueryError):
        plain_answers(projection(0, Variable(1, projection(0, Anchor(0)))), PLAIN)


def test_rows_of_the_benchmark() -> None:
    rows = list(compare_workload(GRAPH, seconds=0.01))
    assert [row["case"] for row in rows] == [*(f"sample {s}" for s in STRUCTURES), "exact answers"]
    assert all(row["ratio"] == row["ours"] / row["plain"] > 0 for row in rows)
