"""Edges of a step: really edges, all as likely, with every relation between their ends."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from families import families
from query2box.kernels.loss import Links
from query2box.training.links import EdgeSampler

GRAPH = families()
EDGES = {
    edge
    for head, relation, tail in GRAPH.edges.tolist()
    for edge in ((head, 2 * relation, tail), (tail, 2 * relation + 1, head))
}
BETWEEN: dict[tuple[int, int], set[int]] = defaultdict(set)
for _head, _relation, _tail in EDGES:
    BETWEEN[_head, _tail].add(_relation)


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
def test_edges_and_the_relations_between_their_ends(count: int, most: int, seed: int) -> None:
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
        assert set(known) == BETWEEN[edge[0], edge[2]] & set(candidates)
    assert float(links.weights.sum()) == pytest.approx(0.25)


def test_every_edge_is_as_likely() -> None:
    sampler = EdgeSampler(GRAPH.adjacency)
    rounds = 200
    count = rounds * len(EDGES)
    seen = Counter(drawn(sampler.draw(count, 1.0, np.random.default_rng(0))))
    assert set(seen) == EDGES
    # Five standard deviations of a binomial count.
    assert max(abs(n - rounds) for n in seen.values()) < 5 * rounds**0.5
