"""Updates of runs: what is kept, what is placed, and what is said about it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch

from families import TINY, families
from query2box import Reasoner, update
from query2box.answering.calibration import Calibration
from query2box.bundle import Bundle, read_config
from query2box.errors import ConfigError, DataError, RunError
from query2box.evaluation.evaluator import rank_group
from query2box.evaluation.metrics import Metrics
from query2box.experiment import updating
from query2box.experiment.journal import Journal
from query2box.experiment.queries import evaluation_queries
from query2box.experiment.run import train
from query2box.kernels.reference import dist_box
from query2box.library import evaluate

NEWBORN = [
    ("mother0", "child", "newborn"),
    ("father0", "child", "newborn"),
    ("newborn", "born", "city0"),
]
KNOWN = [("mother1", "raised", "father1"), ("child1.0", "lives", "city0")]
OTHERS = [("mother2", "knows", "mother3"), ("mother2", "knows", "mother3")]


def write(path: Path, triples: Sequence[Sequence[str]]) -> Path:
    path.write_text("".join("\t".join(triple) + "\n" for triple in triples))
    return path


@pytest.fixture(scope="module")
def added(tmp_path_factory: pytest.TempPathFactory) -> Path:
    old = next(families(held_out=8).triples("train"))
    return write(tmp_path_factory.mktemp("new") / "new.tsv", [*NEWBORN, *KNOWN, *OTHERS, old])


@pytest.fixture(scope="module")
def done(
    tiny_run: Path, added: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[updating.Update, Path]:
    out = tmp_path_factory.mktemp("runs") / "updated"
    return update(tiny_run, added, out, steps=30), out


def test_names_and_edges(tiny_run: Path, done) -> None:
    found, out = done
    before, after = Bundle.load(tiny_run).graph, Bundle.load(out).graph
    assert list(after.entities) == [*before.entities, "newborn"]
    assert list(after.relations) == [*before.relations, "knows"]
    new = [*NEWBORN, *KNOWN, OTHERS[0]]
    assert list(after.triples("train")) == [*before.triples("train"), *new]
    for split in ("valid", "test"):
        assert after.edges_of(split).tolist() == before.edges_of(split).tolist()
    assert found.entities == (before.num_entities, before.num_entities + 1)
    assert found.relations == (before.num_relations, before.num_relations + 1)
    assert found.edges == (len(before.edges_of("train")), len(before.edges_of("train")) + 6)
    assert found.duplicates == 2
    assert found.steps == 30


def test_the_run_itself_stays(tiny_run: Path, added: Path, tmp_path: Path) -> None:
    before = {p: p.read_bytes() for p in tiny_run.rglob("*") if p.is_file()}
    update(tiny_run, added, tmp_path / "run", steps=1)
    assert {p: p.read_bytes() for p in tiny_run.rglob("*") if p.is_file()} == before


def test_old_entities_stay_near_where_they_were(tiny_run: Path, done) -> None:
    old, new = (Bundle.load(path).model.points for path in (tiny_run, done[1]))
    moved = (new[: len(old)] - old).abs().mean()
    spread = (old - old.mean(0)).abs().mean()
    assert 0 < moved < spread / 4


def test_the_new_entity_answers(done) -> None:
    reasoner = Reasoner.load(done[1])
    (answer,) = reasoner.answer(
        "?c : child(mother0, ?c) & born(?c, city0)", 99, candidates=["newborn"]
    )
    assert answer.known
    everyone = [answer.entity for answer in reasoner.answer("?c : child(mother0, ?c)", 10)]
    assert "newborn" in everyone


def test_the_new_run_is_a_run_like_any(tiny_run: Path, done) -> None:
    out = done[1]
    assert Calibration.load(out) is not None
    assert evaluate(out, split="test")["average"]["queries"] > 0
    old, new = read_config(tiny_run), read_config(out)
    assert {k: v for k, v in new.items() if k != "graph"} == {
        k: v for k, v in old.items() if k != "graph"
    }
    assert new["graph"]["folder"] == old["graph"]["folder"]
    assert Bundle.load(out).step == Bundle.load(tiny_run).step + 30
    assert sorted(p.name for p in out.iterdir()) == [
        "calibration.json",
        "config.json",
        "graph",
        "journal.jsonl",
        "model.safetensors",
    ]
    entry = Journal(out).entries()[-1]
    assert entry["kind"] == "update"
    assert entry["entities"] == {"before": 33, "after": 34}


def test_an_update_can_be_updated(done, tmp_path: Path) -> None:
    more = write(tmp_path / "more.csv", [["newborn,knows,mother1"]])
    found = update(done[1], [more], tmp_path / "run")
    assert found.steps == round(updating.SHARE * Bundle.load(done[1]).step)
    assert found.entities == (34, 34)
    assert found.all_new.queries == 2


def test_figures_on_old_edges(tiny_run: Path, done) -> None:
    """Both models are asked the questions of the graph before."""
    old, new = Bundle.load(tiny_run), Bundle.load(done[1])
    questions = evaluation_queries(old.graph, "valid", old.folder, 500)
    for bundle, figures in ((old, done[0].old.before), (new, done[0].old.after)):
        by_structure = [
            Metrics.by_query(rank_group(bundle.model, group).realistic, group.hard)
            for group in questions
        ]
        assert figures == Metrics.mean(by_structure)


def rank(bundle: Bundle, subject: int, relation: int, object_: int, true: set[int]) -> float:
    """Where an object stands among those that are not true, by one torch expression."""
    model = bundle.model
    step = model.relation_step(torch.tensor(relation))
    center = model.points[subject] * step.stretch + step.center
    distances = dist_box(model.points, center, step.offset, model.config.alpha).detach()
    others = torch.tensor(sorted(set(range(len(distances))) - true))
    own = distances[object_]
    closer, level = (distances[others] < own).sum(), (distances[others] == own).sum()
    return float(1 + closer + level / 2)


@pytest.mark.parametrize("which", ["before", "after", "all"])
def test_figures_on_new_edges(tiny_run: Path, done, which: str) -> None:
    bundle = Bundle.load(tiny_run if which == "before" else done[1])
    graph = bundle.graph
    everything = [*NEWBORN, *KNOWN, OTHERS[0]]
    known_edges = [t for split in graph.splits for t in graph.triples(split)]
    if which == "before":
        known_edges += KNOWN
    ranks = []
    for h, r, t in everything if which == "all" else KNOWN:
        for one, name, other in ((h, r, t), (t, f"^{r}", h)):
            true = {
                graph.entity_id(b)
                for x, s, y in known_edges
                for a, q, b in ((x, s, y), (y, f"^{s}", x))
                if (a, q) == (one, name)
            }
            ids = graph.entity_id(one), graph.relation_id(name), graph.entity_id(other)
            ranks.append(rank(bundle, *ids, true))
    new = done[0].new
    found = {"before": new.before, "after": new.after, "all": done[0].all_new}[which]
    assert found is not None
    assert found.queries == len(ranks)
    assert found.mrr == pytest.approx(np.mean(1 / np.array(ranks)), abs=1e-3)


def test_many_new_edges_are_judged_by_some(
    tiny_run: Path, added: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(updating, "JUDGED", 2)
    found = update(tiny_run, added, tmp_path / "run", steps=1)
    assert found.all_new.queries == 4


def test_nothing_but_new_names(tiny_run: Path, tmp_path: Path) -> None:
    new = write(tmp_path / "new.tsv", [("x", "y", "z")])
    found = update(tiny_run, new, tmp_path / "run", steps=2)
    assert found.new.before is None
    assert found.new.after is None
    assert found.all_new.queries == 2
    assert json.dumps(found.to_json())


def test_a_run_without_validation_edges(added: Path, tmp_path: Path) -> None:
    run = train(families(), tmp_path / "run", settings=TINY).path
    found = update(run, added, tmp_path / "other", steps=2)
    assert found.old == (None, None)
    assert found.to_json()["old_edges"] == {"before": None, "after": None}
    assert Calibration.load(tmp_path / "other") is None


def test_the_same_seed_gives_the_same_model(tiny_run: Path, added: Path, tmp_path: Path) -> None:
    models = []
    for name in "ab":
        update(tiny_run, added, tmp_path / name, steps=3, seed=5)
        models.append(Bundle.load(tmp_path / name).model.state_dict())
    assert all(torch.equal(tensor, models[1][name]) for name, tensor in models[0].items())


def test_what_is_refused_leaves_nothing(tiny_run: Path, added: Path, tmp_path: Path) -> None:
    old = write(tmp_path / "old.tsv", list(families(held_out=8).triples("valid")))
    out = tmp_path / "run"
    with pytest.raises(DataError, match="all these edges already"):
        update(tiny_run, old, out)
    with pytest.raises(ConfigError, match="either minutes or steps"):
        update(tiny_run, added, out, minutes=1, steps=1)
    with pytest.raises(ConfigError, match="steps must be at least 1"):
        update(tiny_run, added, out, steps=0)
    with pytest.raises(RunError, match="no such run folder"):
        update(tmp_path / "nowhere", added, out)
    assert [entry.name for entry in tmp_path.iterdir()] == ["old.tsv"]
    out.mkdir()
    with pytest.raises(RunError, match="is there already"):
        update(tiny_run, added, out)
    assert not list(out.iterdir())
