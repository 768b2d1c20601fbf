"""The paper's protocol against distances computed one by one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from families import families
from query2box.evaluation import evaluator as module
from query2box.evaluation.evaluator import Report, evaluate_queries, rank_group
from query2box.evaluation.metrics import Metrics
from query2box.model.config import SYSTEMS, ModelConfig
from query2box.model.embedding import QueryEmbedding
from query2box.query.skeleton import structure
from query2box.workload.query_set import QueryGroup, Ragged
from query2box.workload.sampler import sample_queries
from shapes import SHAPES

GRAPH = families()


def make_model(system: str = "query2box") -> QueryEmbedding:
    config = SYSTEMS[system].model(ModelConfig(dim=6))
    generator = torch.Generator().manual_seed(3)
    return QueryEmbedding(config, GRAPH.num_entities, 2 * GRAPH.num_relations, generator)


def make_group(name: str, size: int = 9) -> QueryGroup:
    """Queries whose answers are easy or hard by the toss of a coin."""
    group = sample_queries(GRAPH.adjacency, structure(name), size, seed=5, threads=1)
    generator = np.random.default_rng(0)
    coins = [generator.random(len(row)) < 0.5 for row in group.easy]
    easy, hard = (
        Ragged.from_lists([row[coin == side] for row, coin in zip(group.easy, coins, strict=True)])
        for side in (False, True)
    )
    return QueryGroup(name, group.skeleton, group.entities, group.relations, easy, hard)


def slow_ranks(model: QueryEmbedding, group: QueryGroup) -> list[float]:
    """One query at a time, one entity at a time, by corners of boxes."""
    found = []
    for row in range(len(group)):
        with torch.no_grad():
            entities, relations = (
                torch.from_numpy(part[row : row + 1]).long()
                for part in (group.entities, group.relations)
            )
            boxes = model.boxes(group.skeleton, model.points[entities], relations)
            distances = [
                min(
                    (torch.relu(point - box.upper) + torch.relu(box.lower - point)).sum().item()
                    + model.config.alpha
                    * (box.center - torch.clamp(point, box.lower, box.upper)).abs().sum().item()
                    for box in map(
                        type(boxes)._make, zip(boxes.center[0], boxes.offset[0], strict=True)
                    )
                )
                for point in model.points
            ]
        answers = {*group.easy[row].tolist(), *group.hard[row].tolist()}
        others = [d for e, d in enumerate(distances) if e not in answers]
        found += [1 + sum(d < distances[answer] for d in others) for answer in group.hard[row]]
    return found


@pytest.mark.parametrize("name", SHAPES)
def test_ranks_are_those_of_distances_one_by_one(name: str) -> None:
    model, group = make_model(), make_group(name)
    assert rank_group(model, group).realistic.tolist() == slow_ranks(model, group)


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_system_can_be_judged(system: str) -> None:
    model, group = make_model(system), make_group("pi")
    assert rank_group(model, group).realistic.tolist() == slow_ranks(model, group)


def test_all_at_once_is_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    model, group = make_model(), make_group("up", 20)
    whole = rank_group(model, group)
    one_by_one = [rank_group(model, group.take([row])).realistic for row in range(20)]
    assert np.concatenate(one_by_one).tolist() == whole.realistic.tolist()
    monkeypatch.setattr(module, "BATCH", 7)
    assert rank_group(model, group).realistic.tolist() == whole.realistic.tolist()


def test_figures_are_those_of_the_ranks() -> None:
    model, groups = make_model(), [make_group("1p"), make_group("2u")]
    report = evaluate_queries(model, groups)
    assert list(report.structures) == ["1p", "2u"]
    for group in groups:
        wanted = Metrics.by_query(rank_group(model, group).realistic, group.hard)
        assert report.structures[group.structure] == wanted
    assert report.average == Metrics.mean(list(report.structures.values()))


def test_groups_of_one_structure_count_as_one() -> None:
    model, group = make_model(), make_group("2p", 10)
    parts = [group.take(range(3)), group.take(range(3, 10))]
    assert evaluate_queries(model, parts) == evaluate_queries(model, [group])


def test_a_structure_without_hard_answers_has_no_figures() -> None:
    easy = replace(make_group("2p"), hard=Ragged.empty(9))
    model, group = make_model(), make_group("1p")
    assert evaluate_queries(model, [easy, group]) == evaluate_queries(model, [group])


def test_no_queries() -> None:
    assert evaluate_queries(make_model(), []) == Report({})
    assert Report({}).average.queries == 0


def test_json() -> None:
    metrics = Metrics(0.1, 0.2, 0.3, 0.4, 5)
    assert Report({"1p": metrics}).to_json() == {
        "average": metrics.to_json(),
        "structures": {"1p": metrics.to_json()},
    }
