from __future__ import annotations

from io import BytesIO
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from families import families
from query2box.answering import index as index_module
from query2box.answering.index import INDEX, CellIndex
from query2box.answering.space import Space
from query2box.errors import RunError
from query2box.kernels.nearest import Boxes
from query2box.model.config import ModelConfig
from query2box.model.embedding import QueryEmbedding
from query2box.workload.query_set import Ragged
from reasoners import random_reasoner

pytest.importorskip("faiss", reason="the extra 'index' is not installed")
pytestmark = pytest.mark.filterwarnings("ignore:builtin type")  # of faiss's wrappers


@pytest.fixture(autouse=True)
def short_strides(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look at the bounds after every few entities, as the large tables do."""
    monkeypatch.setattr(index_module, "STRIDE", 4)


def clustered(size, dim, clusters, seed, grid=False):
    """A space of points in clusters, perhaps on a grid where distances are often equal."""
    rng = np.random.default_rng(seed)
    points = rng.normal(0, 4, (clusters, dim))[rng.integers(0, clusters, size)]
    points = points + rng.normal(0, 0.5, (size, dim))
    if grid:
        points = points.round()
    model = QueryEmbedding(ModelConfig(dim=dim, alpha=0.25), size, 2)
    with torch.no_grad():
        model.points.copy_(torch.from_numpy(points.astype(np.float32)))
    return Space(model), rng


@st.composite
def problems(draw):
    size, dim = draw(st.integers(1, 600)), draw(st.sampled_from([1, 2, 9]))
    clusters = draw(st.sampled_from([1, 3, 20]))
    space, rng = clustered(size, dim, clusters, draw(st.integers(0, 2**32)), draw(st.booleans()))
    count = draw(st.integers(1, 3))
    centers = space.points[rng.integers(0, size, count)] + rng.normal(0, 0.3, (count, dim)).round()
    largest = draw(st.sampled_from([0, 2]))  # points, or boxes
    offsets = rng.integers(0, largest + 1, (count, dim)).astype(np.float32)
    boxes = Boxes(centers.astype(np.float32), offsets, np.array([0, count]))
    excluded = None
    if draw(st.booleans()):
        excluded = Ragged.from_lists([np.flatnonzero(rng.random(size) < 0.4)])
    index = CellIndex.build(space.points, draw(st.sampled_from([0, 1, 7, size])))
    return space, boxes, draw(st.sampled_from([0, 1, 5, 1000])), excluded, index


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(problems(), st.sampled_from([None, 0, 10]))
def test_certified_results_equal_the_scan(problem, budget):
    space, boxes, k, excluded, index = problem
    found = index.search(space, boxes, k, excluded, budget)
    scanned = space.nearest(boxes, k, excluded=excluded)
    there = scanned.entities[0] >= 0
    if budget is None:
        assert found.certified
    if found.certified:
        assert found.nearest.entities[0].tolist() == scanned.entities[0, there].tolist()
        assert found.nearest.distances[0].tolist() == scanned.distances[0, there].tolist()
    assert found.seen <= len(space.points)


@pytest.mark.parametrize("dim", [2, 5])
def test_neighbours_across_the_borders_of_cells_are_found(dim: int):
    space, rng = clustered(5000, dim, 1, seed=0)
    index = CellIndex.build(space.points, 30)
    for center in rng.normal(0, 0.5, (60, dim)).astype(np.float32) + space.points.mean(0):
        boxes = Boxes(center[None], np.zeros((1, dim), np.float32), np.array([0, 1]))
        found = index.search(space, boxes, 10)
        assert found.nearest.entities.tolist() == space.nearest(boxes, 10).entities.tolist()
        assert dim > 2 or found.seen < 5000


def test_clusters_spare_most_of_the_work():
    space, _ = clustered(100_000, 8, 300, seed=0)
    index = CellIndex.build(space.points)
    assert sorted(index.entities.tolist()) == list(range(100_000))
    center = space.points[:1] + 0.1
    boxes = Boxes(center, np.full_like(center, 0.2), np.array([0, 1]))
    found = index.search(space, boxes, 10)
    assert found.certified
    assert found.seen < 20_000
    assert found.nearest.entities.tolist() == space.nearest(boxes, 10).entities.tolist()
    hurried = index.search(space, boxes, 50_000, budget=1)
    assert not hurried.certified
    assert hurried.seen < 50_000


def test_no_member_of_a_cell_is_nearer_than_its_bound():
    space, rng = clustered(3000, 9, 20, seed=0)
    index = CellIndex.build(space.points, 40)
    for _ in range(20):
        centers = rng.normal(0, 4, (2, 9)).astype(np.float32)
        boxes = Boxes(centers, rng.random((2, 9), np.float32), np.array([0, 2]))
        distances = space.distances(boxes, np.arange(3000)).min(0)
        bounds = index._bounds(boxes, space.alpha)
        for cell, (low, high) in enumerate(pairwise(index.starts)):
            members = index.entities[low:high]
            assert (distances[members] >= bounds[cell]).all()


@pytest.fixture
def run(tmp_path: Path) -> Path:
    reasoner = random_reasoner(families())
    CellIndex.build(reasoner.space.points).save(tmp_path)
    return tmp_path


def test_an_index_survives_its_file(run: Path):
    points = random_reasoner(families()).space.points
    index, again = CellIndex.build(points), CellIndex.load(run, points)
    assert again is not None
    for name in ("entities", "starts", "centers", "radii", "lows", "highs"):
        assert np.array_equal(getattr(index, name), getattr(again, name))


def test_the_index_of_another_table_is_not_used(run: Path, tmp_path: Path):
    assert CellIndex.load(run, random_reasoner(families(), seed=1).space.points) is None
    assert CellIndex.load(tmp_path / "nothing", random_reasoner(families()).space.points) is None


def test_a_damaged_index_is_named(run: Path):
    points = random_reasoner(families()).space.points
    path = run / INDEX
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(RunError, match=INDEX):
        CellIndex.load(run, points)
    with np.load(BytesIO(whole)) as file:
        parts = dict(file)
    for name, damaged in {
        "entities": parts["entities"] * 0,
        "starts": parts["starts"][::-1],
        "centers": parts["centers"][:1],
        "radii": parts["radii"] * np.nan,
        "lows": parts["lows"] * np.inf,
        "highs": parts["highs"].astype(np.float64),
    }.items():
        with path.open("wb") as out:
            np.savez(out, **{**parts, name: damaged})
        with pytest.raises(RunError, match=INDEX):
            CellIndex.load(run, points)


def test_a_reasoner_answers_alike_with_an_index():
    graph = families()
    plain, indexed = random_reasoner(graph), random_reasoner(graph)
    indexed.index = CellIndex.build(indexed.space.points, 5)
    question = "?c : child(mother0, ?c) | lives(mother0, ?c)"
    for only in (None, "known", "predicted"):
        reply = indexed.reply(question, 4, only=only)
        assert reply.answers == plain.answer(question, 4, only=only)
        assert reply.certified
    indexed.budget = 0
    assert not indexed.reply(question, 4).certified
    assert plain.reply(question, 4).certified
