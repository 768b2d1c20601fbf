from __future__ import annotations

from collections import Counter, defaultdict
from statistics import mean, median

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from query2box.graph.knowledge_graph import KnowledgeGraph
from query2box.graph.statistics import statistics_of
from query2box.graph.vocabulary import Vocabulary

EDGE = st.tuples(st.integers(0, 5), st.integers(0, 2), st.integers(0, 5))


@given(edges=st.lists(EDGE, unique=True, min_size=1), data=st.data())
def test_figures_are_what_counting_gives(
    edges: list[tuple[int, int, int]], data: st.DataObject
) -> None:
    train = edges[: data.draw(st.integers(0, len(edges)))]
    rows = np.array(edges, np.int32)
    graph = KnowledgeGraph(
        Vocabulary("entity", "abcdef"),
        Vocabulary("relation", "rst"),
        {"train": rows[: len(train)], "valid": rows[len(train) :]},
        {0: "A"},
    )
    found = statistics_of(graph)
    assert (found.entities, found.relations, found.labels) == (6, 3, 1)
    assert found.edges == {"train": len(train), "valid": len(edges) - len(train)}
    used = {e for head, _, tail in train for e in (head, tail)}
    assert found.entities_without_training_edges == 6 - len(used)

    for degrees, place in ((found.out_degree, 0), (found.in_degree, 2)):
        counts = Counter(edge[place] for edge in edges)
        expected = [counts[e] for e in range(6)]
        assert (degrees.mean, degrees.median) == pytest.approx((mean(expected), median(expected)))
        assert degrees.max == max(expected)

    assert {row.relation for row in found.per_relation} == set("rst")
    assert [r.edges for r in found.per_relation] == sorted(
        (r.edges for r in found.per_relation), reverse=True
    )
    for row in found.per_relation:
        pairs = [(h, t) for h, r, t in edges if "rst"[r] == row.relation]
        assert row.edges == len(pairs)
        for value, place in ((row.objects, 0), (row.inverse_objects, 1)):
            objects = defaultdict(list)
            for pair in pairs:
                objects[pair[place]].append(pair)
            assert value == pytest.approx(mean(map(len, objects.values())) if pairs else 0)
