"""Box sizes and rank correlation, by hand and by brute force."""

from __future__ import annotations

import statistics
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle import denote
from query2box.bundle import Bundle
from query2box.errors import RunError
from query2box.experiment.report.box_sizes import (
    BoxSizes,
    extremes_table,
    mean_answers,
    measure,
    rank_correlation,
)
from query2box.graph.knowledge_graph import KnowledgeGraph
from query2box.query.nodes import Anchor, projection
from recorded import recorded_dataset
from strategies import graphs, make_graph

numbers = st.integers(-3, 3)


@given(st.lists(st.tuples(numbers, numbers), max_size=12))
def test_rank_correlation(pairs: list[tuple[int, int]]) -> None:
    def ranks(values: list[int]) -> list[float]:
        return [
            1 + sum(other < value for other in values) + (values.count(value) - 1) / 2
            for value in values
        ]

    first, second = [x for x, _ in pairs], [y for _, y in pairs]
    found = rank_correlation(first, second)
    if len(set(first)) < 2 or len(set(second)) < 2:
        assert found is None
    else:
        assert found == pytest.approx(statistics.correlation(ranks(first), ranks(second)))


def test_rank_correlation_by_hand() -> None:
    assert rank_correlation([1, 2, 3], [10, 100, 1000]) == pytest.approx(1)
    assert rank_correlation([1, 2, 3], [3, 2, 1]) == pytest.approx(-1)
    # Ranks 1.5, 1.5, 3 and 1, 2, 3.
    assert rank_correlation([5, 5, 9], [1, 2, 3]) == pytest.approx(0.75**0.5)


def test_mean_answers_by_hand() -> None:
    graph = make_graph([(0, 0, 1), (0, 0, 2), (3, 0, 1), (4, 1, 4)])
    assert mean_answers(graph).tolist() == [1.5, 1.5, 1, 1, 0, 0]


@given(graphs())
def test_mean_answers(graph: KnowledgeGraph) -> None:
    found = mean_answers(graph)
    assert len(found) == 2 * graph.num_relations
    for relation, mean in enumerate(found.tolist()):
        counts = [
            len(denote(projection(relation, Anchor(entity)), graph))
            for entity in range(graph.num_entities)
        ]
        asked = [count for count in counts if count]
        assert mean == pytest.approx(sum(asked) / len(asked) if asked else 0)


def test_the_boxes_of_a_run(tiny_run: Path) -> None:
    bundle = Bundle.load(tiny_run)
    found = measure(tiny_run, bundle.graph)
    names = [bundle.graph.relation_name(r) for r in range(2 * bundle.graph.num_relations)]
    assert list(found.relations) == names  # each has training edges
    sizes = bundle.model.offsets.detach().abs().sum(1).numpy()
    assert found.sizes == pytest.approx(sizes, rel=1e-5)
    assert (found.answers >= 1).all()


def test_a_model_of_another_graph(tiny_run: Path) -> None:
    with pytest.raises(RunError, match="no box for each relation"):
        measure(tiny_run, make_graph([(0, 0, 1)]))


@pytest.mark.parametrize("count", [1, 5, 20, 31])
def test_the_smallest_and_the_largest(count: int) -> None:
    sizes = np.random.default_rng(0).permutation(count).astype(np.float64)
    boxes = BoxSizes(tuple(f"r{size:.0f}" for size in sizes), sizes, np.ones(count))
    rows = extremes_table(recorded_dataset(), "query2box", boxes).rows
    names = [row[1] for row in rows]
    shown = min(10, -(-count // 2))
    assert names[:shown] == [f"r{size}" for size in range(shown)]
    rest = min(10, count - shown)
    assert names[shown:] == [f"r{count - 1 - place}" for place in range(rest)]
    assert rows[0][0] == "smallest"
