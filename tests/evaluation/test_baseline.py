"""The frequency baseline against counts made one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from families import families
from query2box.evaluation.baseline import Frequency, evaluate_frequency
from query2box.graph.knowledge_graph import KnowledgeGraph
from query2box.query.nodes import Anchor, Intersection, Projection, Union
from query2box.query.skeleton import structure
from query2box.workload.query_set import QueryGroup, Ragged
from query2box.workload.sampler import sample_queries
from strategies import NUM_ENTITIES, NUM_RELATIONS, graphs


@given(graphs())
def test_scores_are_shares_of_edges(graph: KnowledgeGraph) -> None:
    frequency = Frequency(graph.adjacency, NUM_RELATIONS)
    edges = [(h, 2 * r, t) for h, r, t in graph.edges.tolist()]
    edges += [(t, r + 1, h) for h, r, t in edges]
    for relation in range(2 * NUM_RELATIONS):
        ends = [t for _, r, t in edges if r == relation]
        wanted = [ends.count(e) / max(len(ends), 1) for e in range(NUM_ENTITIES)]
        found = frequency.scores(Projection(relation, Anchor(0)))
        assert found.tolist() == pytest.approx(wanted)


@given(graphs())
def test_and_multiplies_and_or_takes_the_larger(graph: KnowledgeGraph) -> None:
    frequency = Frequency(graph.adjacency, NUM_RELATIONS)
    parts = Projection(0, Anchor(0)), Projection(3, Anchor(1))
    one, other = map(frequency.scores, parts)
    np.testing.assert_array_equal(frequency.scores(Intersection(parts)), one * other)
    np.testing.assert_array_equal(frequency.scores(Union(parts)), np.maximum(one, other))


def test_ranks_are_those_of_a_sort() -> None:
    graph = families()
    group = sample_queries(graph.adjacency, structure("2i"), 30, seed=0, threads=1)
    easy = Ragged.from_lists([row[:1] for row in group.easy])
    hard = Ragged.from_lists([row[1:] for row in group.easy])
    group = QueryGroup("2i", group.skeleton, group.entities, group.relations, easy, hard)
    frequency = Frequency(graph.adjacency, graph.num_relations)
    wanted = []
    for row in range(30):
        scores = frequency.scores(group.query(row)).tolist()
        answers = {*easy[row].tolist(), *hard[row].tolist()}
        others = [score for entity, score in enumerate(scores) if entity not in answers]
        for answer in hard[row]:
            above = sum(score > scores[answer] for score in others)
            level = sum(score == scores[answer] for score in others)
            wanted.append(1 + above + level / 2)
    assert frequency.ranks(group).realistic.tolist() == wanted
    assert evaluate_frequency(frequency, [group]).structures["2i"].queries == sum(hard.counts > 0)
