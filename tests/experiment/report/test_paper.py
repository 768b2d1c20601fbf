"""The paper's figures, as far as they can be held against each other."""

from __future__ import annotations

from pathlib import Path

import pytest

from query2box.experiment.report.paper import Paper, paper_of, papers
from query2box.graph.knowledge_graph import KnowledgeGraph
from query2box.model.config import SYSTEMS
from query2box.query.skeleton import STRUCTURES
from strategies import make_graph


@pytest.mark.parametrize("paper", papers(), ids=lambda paper: paper.name)
@pytest.mark.parametrize("metric", ["hits@3", "mrr"])
def test_averages_are_those_of_the_structures(paper: Paper, metric: str) -> None:
    assert paper.structures == tuple(STRUCTURES)
    systems = [name for name in SYSTEMS if paper.metric(metric, name, "average")]
    assert len(systems) == 7
    assert set(paper.said[metric]) == set(systems)
    for system in systems:
        row = [paper.metric(metric, system, name) for name in ("average", *STRUCTURES)]
        average, *parts = [one.value for one in row if one]
        # The paper rounds, and a few of its averages are a little off.
        assert sum(parts) / 9 == pytest.approx(average, abs=0.005)


def test_what_it_does_not_say() -> None:
    paper = papers()[0]
    assert paper.metric("mrr", "transe", "1p") is None
    assert paper.metric("mrr", "gqe", "i(p(e),p(e),p(e),p(e))") is None
    assert paper.link_prediction("hits@3", "gqe") is None
    assert paper.link_prediction("hits@10", "transe") is None
    assert paper.answers("p(e)") is None
    assert paper.queries("valid", "p(e)") is None


def test_a_graph_of_ones_own_is_not_the_papers() -> None:
    assert paper_of(make_graph([(0, 0, 1)])) is None


@pytest.mark.parametrize("name", ["FB15k-237", "NELL995"])
def test_its_graphs_are_recognised(shared_data: Path, name: str) -> None:
    found = paper_of(KnowledgeGraph.load(shared_data / name))
    assert found is not None
    assert found.name == name
