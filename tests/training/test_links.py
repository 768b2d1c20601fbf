"""Edges of a step: really edges, all as likely, with what may stand beside theirs."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from families import families
from query2box.graph.knowledge_graph import KnowledgeGraph
from query2box.kernels.loss import Links
from query2box.training.links import EdgeSampler
from strategies import graphs

GRAPH = families()
EDGES = {
    edge
    for head, relation, tail in GRAPH.edges.tolist()
    for edge in ((head, 2 * relation, tail), (tail, 2 * relation + 1, head))
}
BETWEEN: dict[tuple[int, int], set[int]] = defaultdict(set)
for _head, _relation, _tail in EDGES:
    BETWEEN[_head, _tail].add(_relation)
BESIDE: dict[int, set[int]] = defaultdict(set)
for _together in BETWEEN.values():
    for _relation in _together:
        BESIDE[_relation] |= _together


def drawn(links: Links) -> list[tuple[int, int, int]]:
    candidates = links.candidates.numpy()
    return list(
        zip(
            links.heads.tolist(),
            candidates[links.relations.numpy()].tolist(),
            links.tails.tolist(),
            strict=True,
        )
    )


@given(st.integers(1, 50), st.integers(1, 8), st.integers(0, 2**32))
def test_edges_and_what_may_stand_beside_theirs(count: int, most: int, seed: int) -> None:
    sampler = EdgeSampler(GRAPH.adjacency, most)
    links = sampler.draw(count, 0.25, np.random.default_rng(seed))
    candidates = links.candidates.tolist()
    found = drawn(links)
    own = {relation for _, relation, _ in found}
    assert set(found) <= EDGES
    assert sorted(set(candidates)) == candidates
    assert own <= set(candidates)
    assert len(candidates) == min(2 * GRAPH.num_relations, max(most, len(own)))
    for edge, (low, high) in zip(found, pairwise(links.known_offsets.tolist()), strict=True):
        known = [candidates[place] for place in links.known[low:high].tolist()]
        assert len(set(known)) == len(known)
        assert set(known) == BESIDE[edge[1]] & set(candidates)
        assert set(known) >= BETWEEN[edge[0], edge[2]] & set(candidates)
    assert float(links.weights.sum()) == pytest.approx(0.25)


@given(graphs())
def test_companions_share_two_entities_somewhere(graph: KnowledgeGraph) -> None:
    between, expected = defaultdict(set), defaultdict(set)
    for head, relation, tail in graph.edges.tolist():
        between[head, tail].add(2 * relation)
        between[tail, head].add(2 * relation + 1)
    for together in between.values():
        for relation in together:
            expected[relation] |= together
    found = EdgeSampler(graph.adjacency).companions
    assert [row.tolist() for row in found] == [
        sorted(expected[relation] | {relation}) for relation in range(len(found))
    ]


def test_every_edge_is_as_likely() -> None:
    sampler = EdgeSampler(GRAPH.adjacency)
    rounds = 200
    count = rounds * len(EDGES)
    seen = Counter(drawn(sampler.draw(count, 1.0, np.random.default_rng(0))))
    assert set(seen) == EDGES
    # Five standard deviations of a binomial count.
    assert max(abs(n - rounds) for n in seen.values()) < 5 * rounds**0.5
