"""Runs: what they leave behind, how they go on, and what they refuse."""

from __future__ import annotations

import json
import resource
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch

from families import TINY, families
from query2box.bundle import Bundle, load_tensors
from query2box.errors import ConfigError, DataError, Query2boxError, RunError
from query2box.evaluation.evaluator import Report, evaluate_queries
from query2box.experiment.config import RunConfig
from query2box.experiment.queries import evaluation_queries
from query2box.experiment.run import CHECKPOINT, Run, Spectator, train
from query2box.graph.knowledge_graph import KnowledgeGraph
from query2box.graph.vocabulary import Vocabulary
from query2box.model.config import SYSTEMS
from query2box.training.config import split_share
from query2box.training.trainer import Progress
from query2box.workload import sampler

NO_VALIDATION = {**TINY, "validations": 0}


class Stopper(Spectator):
    """Stops after so many steps, and remembers what it saw."""

    def __init__(self, steps: int = 10**9) -> None:
        self.left = steps
        self.seen: list[str] = []

    def begin(self, config: RunConfig, graph: KnowledgeGraph) -> None:
        self.seen.append(f"begin {config.system} {graph.name}")

    def progress(self, progress: Progress) -> None:
        self.seen.append(f"progress {progress.step}")

    def validated(self, progress: Progress, report: Report, best: bool) -> None:
        self.seen.append(f"validated {progress.step} {report.average.queries}")

    def stopped(self) -> bool:
        self.left -= 1
        return self.left < 0


def start(data: Path | KnowledgeGraph, out: Path, steps: int = 10**9, **options) -> Run:
    options = {"settings": TINY, "spectator": Stopper(steps), **options}
    return train(data, out, **options)


def tensors(path: Path) -> dict[str, torch.Tensor]:
    return load_tensors(path)[0]


def same(one: Path, other: Path) -> bool:
    a, b = tensors(one), tensors(other)
    return a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)


def validations(run: Run) -> list[dict[str, object]]:
    return [
        {key: value for key, value in entry.items() if "seconds" not in key}
        for entry in run.journal.entries()
        if entry["kind"] == "validation"
    ]


# What a run leaves behind


def test_a_run_leaves_a_folder(families_data: Path, tmp_path: Path) -> None:
    spectator = Stopper()
    run = train(families_data, tmp_path / "run", settings=TINY, spectator=spectator)
    assert run.finished
    assert sorted(entry.name for entry in run.path.iterdir()) == [
        "checkpoint.safetensors",
        "config.json",
        "graph",
        "journal.jsonl",
        "model.safetensors",
    ]
    bundle = run.load()
    assert bundle.graph.num_entities == 33
    assert bundle.folder == str(families_data)
    document = {key: value for key, value in bundle.config.items() if key != "graph"}
    assert RunConfig.from_json(document) == run.config
    assert [line for line in spectator.seen if not line.startswith("progress")] == [
        "begin query2box families",
        "validated 10 18",
        "validated 20 18",
    ]
    # A slow machine tells of more than these.
    assert {"progress 10", "progress 20"} <= set(spectator.seen)
    kinds = [entry["kind"] for entry in run.journal.entries()]
    assert [kind for kind in kinds if kind != "progress"] == ["validation", "validation", "end"]


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_system_runs(system: str, families_data: Path, tmp_path: Path) -> None:
    run = start(families_data, tmp_path / "run", model=system)
    bundle = Bundle.load(run.path)
    assert bundle.model.config.dim == TINY["dim"]
    assert bundle.config["system"] == system
    names = [split_share(one)[0] for one in bundle.config["training"]["structures"]]
    assert tuple(names) == SYSTEMS[system].structures


def test_any_shape_can_be_trained_on(families_data: Path, tmp_path: Path) -> None:
    settings = {**TINY, "structures": "1p,up,i(p(e),p(e),p(e),p(e)),i(p(v1(p(e))),p(v1(p(e))))"}
    assert start(families_data, tmp_path / "run", settings=settings).finished


def test_the_best_model_is_kept(families_data: Path, tmp_path: Path) -> None:
    run = start(families_data, tmp_path / "run", settings={**TINY, "validations": 10})
    best = [entry for entry in validations(run) if entry["best"]]
    figures = [entry["average"]["hits@3"] for entry in validations(run)]
    assert best[-1]["average"]["hits@3"] == max(figures)
    assert load_tensors(run.path / "model.safetensors")[1] == {"step": best[-1]["step"]}
    queries = evaluation_queries(run.graph, "valid", families_data)
    assert evaluate_queries(run.load().model, queries).average.hits_3 == max(figures)


def test_without_validation_the_last_model_is_kept(families_data: Path, tmp_path: Path) -> None:
    run = start(families_data, tmp_path / "run", settings={**NO_VALIDATION, "heads": 1})
    state = tensors(run.path / CHECKPOINT)
    for name, tensor in tensors(run.path / "model.safetensors").items():
        assert torch.equal(tensor, state[f"0.model.{name}"])


def test_a_graph_without_validation_edges(tmp_path: Path) -> None:
    run = start(families(), tmp_path / "run")
    assert run.finished
    assert load_tensors(run.path / "model.safetensors")[1] == {"step": 20}
    assert validations(run) == []


def test_a_seed_says_it_all(families_data: Path, tmp_path: Path) -> None:
    one, again, other = (
        start(families_data, tmp_path / name, seed=seed)
        for name, seed in (("a", 1), ("b", 1), ("c", 2))
    )
    assert same(one.path / CHECKPOINT, again.path / CHECKPOINT)
    assert same(one.path / "model.safetensors", again.path / "model.safetensors")
    assert validations(one) == validations(again)
    assert not same(one.path / CHECKPOINT, other.path / CHECKPOINT)


def test_minutes_end_a_run(families_data: Path, tmp_path: Path) -> None:
    settings = {**NO_VALIDATION, "steps": 10**6}
    run = start(families_data, tmp_path / "run", settings=settings, minutes=0.005)
    assert run.finished
    last = run.journal.entries()[-2]
    assert last["kind"] == "progress"
    assert last["share"] == 1.0
    assert last["step"] < 10**6


# Going on


@pytest.mark.parametrize("stop", [1, 7, 10, 15, 19])
def test_resumed_is_unbroken(families_data: Path, tmp_path: Path, stop: int) -> None:
    whole = start(families_data, tmp_path / "whole")
    broken = start(families_data, tmp_path / "broken", steps=stop)
    assert not broken.finished
    assert (broken.path / "model.safetensors").is_file()
    resumed = start(families_data, tmp_path / "broken", settings={}, resume=True)
    assert resumed.finished
    assert same(whole.path / CHECKPOINT, resumed.path / CHECKPOINT)
    assert same(whole.path / "model.safetensors", resumed.path / "model.safetensors")
    assert validations(whole) == validations(resumed)
    kinds = [entry["kind"] for entry in resumed.journal.entries()]
    assert (kinds.count("stop"), kinds[-1]) == (1, "end")


def test_stopped_again_and_again_is_unbroken(families_data: Path, tmp_path: Path) -> None:
    whole = start(families_data, tmp_path / "whole")
    run = start(families_data, tmp_path / "broken", steps=3)
    while not run.finished:
        run = start(families_data, tmp_path / "broken", steps=3, settings={}, resume=True)
    assert same(whole.path / CHECKPOINT, run.path / CHECKPOINT)
    assert same(whole.path / "model.safetensors", run.path / "model.safetensors")


def test_without_validation_a_resumed_run_keeps_its_last_model(
    families_data: Path, tmp_path: Path
) -> None:
    start(families_data, tmp_path / "run", steps=5, settings=NO_VALIDATION)
    assert load_tensors(tmp_path / "run" / "model.safetensors")[1] == {"step": 5}
    start(families_data, tmp_path / "run", settings={}, resume=True)
    assert load_tensors(tmp_path / "run" / "model.safetensors")[1] == {"step": 20}


def test_work_after_the_last_checkpoint_is_done_again(families_data: Path, tmp_path: Path) -> None:
    """What a killed process leaves: an old checkpoint, a newer journal, half a line."""
    whole = start(families_data, tmp_path / "whole")
    start(families_data, tmp_path / "run", steps=5)
    checkpoint = (tmp_path / "run" / CHECKPOINT).read_bytes()
    start(families_data, tmp_path / "run", steps=10, settings={}, resume=True)
    (tmp_path / "run" / CHECKPOINT).write_bytes(checkpoint)
    with (tmp_path / "run" / "journal.jsonl").open("a") as journal:
        journal.write('{"kind": "progress", "step": 16, "lo')
    resumed = start(families_data, tmp_path / "run", settings={}, resume=True)
    assert validations(resumed) == validations(whole)
    assert same(whole.path / CHECKPOINT, resumed.path / CHECKPOINT)


def test_killed_before_the_first_checkpoint(families_data: Path, tmp_path: Path) -> None:
    whole = start(families_data, tmp_path / "whole")
    start(families_data, tmp_path / "run", steps=12)
    (tmp_path / "run" / CHECKPOINT).unlink()
    resumed = start(families_data, tmp_path / "run", settings={}, resume=True)
    assert resumed.finished
    assert same(whole.path / CHECKPOINT, resumed.path / CHECKPOINT)
    assert validations(resumed) == validations(whole)


def test_resuming_what_is_finished_changes_nothing(families_data: Path, tmp_path: Path) -> None:
    run = start(families_data, tmp_path / "run")
    before = tensors(run.path / CHECKPOINT)
    again = start(families_data, tmp_path / "run", settings={}, resume=True)
    assert again.finished
    assert all(torch.equal(t, before[n]) for n, t in tensors(run.path / CHECKPOINT).items())
    assert again.best == run.best


def test_options_that_a_resumed_run_has_may_be_said_again(
    families_data: Path, tmp_path: Path
) -> None:
    options = {"model": "gqe", "preset": "paper", "seed": 3}
    start(families_data, tmp_path / "run", steps=2, **options)
    run = start(families_data, tmp_path / "run", steps=2, resume=True, **options)
    assert run.config.system == "gqe"


def test_a_resumed_run_may_use_other_cores(families_data: Path, tmp_path: Path) -> None:
    start(families_data, tmp_path / "run", steps=2)
    assert start(families_data, tmp_path / "run", settings={"threads": 2}, resume=True).finished


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": "gqe"}, "began with the model query2box, not gqe"),
        ({"preset": "paper"}, "began with the preset fast, not paper"),
        ({"seed": 9}, "began with another seed"),
        ({"minutes": 3.0}, "began with another minutes"),
        ({"settings": {"dim": 9, "steps": 20}}, "began with another dim; that stays"),
    ],
    ids=str,
)
def test_a_run_keeps_the_options_it_began_with(
    families_data: Path, tmp_path: Path, options: dict[str, object], message: str
) -> None:
    start(families_data, tmp_path / "run", steps=2)
    with pytest.raises(RunError, match=message):
        train(families_data, tmp_path / "run", resume=True, **options)


# Refusals


@pytest.fixture
def stopped(families_data: Path, tmp_path: Path) -> Path:
    return start(families_data, tmp_path / "run", steps=5).path


def test_a_folder_that_has_a_run(stopped: Path, families_data: Path) -> None:
    with pytest.raises(RunError, match="there is a run already; --resume"):
        start(families_data, stopped)


def test_there_is_nothing_to_resume(families_data: Path, tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"no run folder, it has no config\.json"):
        start(families_data, tmp_path / "run", resume=True)
    assert not (tmp_path / "run").exists()


def test_a_dataset_that_has_changed(stopped: Path, families_data: Path, tmp_path: Path) -> None:
    shutil.copytree(families_data, tmp_path / "data")
    with (tmp_path / "data" / "train.tsv").open("a") as file:
        file.write("mother0\tmarried\tfather1\n")
    with pytest.raises(RunError, match="the dataset has changed since this run began"):
        start(tmp_path / "data", stopped, settings={}, resume=True)


@pytest.mark.parametrize("keep", [0, 7, 100, -1])
def test_a_truncated_checkpoint_is_named(stopped: Path, families_data: Path, keep: int) -> None:
    path = stopped / CHECKPOINT
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(RunError, match=r"checkpoint\.safetensors: the file is damaged"):
        start(families_data, stopped, settings={}, resume=True)


def test_a_checkpoint_of_another_run(stopped: Path, families_data: Path, tmp_path: Path) -> None:
    other = start(families_data, tmp_path / "other", steps=2, settings={**TINY, "dim": 5})
    shutil.copy(other.path / CHECKPOINT, stopped)
    with pytest.raises(RunError, match=r"checkpoint\.safetensors: the file does not fit"):
        start(families_data, stopped, settings={}, resume=True)


def test_a_model_in_place_of_a_checkpoint(stopped: Path, families_data: Path) -> None:
    shutil.copy(stopped / "model.safetensors", stopped / CHECKPOINT)
    with pytest.raises(RunError, match=r"checkpoint\.safetensors: the file does not fit"):
        start(families_data, stopped, settings={}, resume=True)


@pytest.mark.parametrize(
    ("part", "value", "message"),
    [
        ("model", {"dimm": 3}, r"config\.json: unknown option 'dimm'; did you mean 'dim'"),
        ("model", 3, r"config\.json: "),
        ("training", {"steps": "many"}, r"config\.json: steps is a whole number"),
        ("graph", 3, "the dataset has changed"),
        ("seed", -1, r"config\.json: seed"),
    ],
    ids=str,
)
def test_a_config_that_was_changed(
    stopped: Path, families_data: Path, part: str, value: object, message: str
) -> None:
    document = json.loads((stopped / "config.json").read_text())
    (stopped / "config.json").write_text(json.dumps({**document, part: value}))
    with pytest.raises(RunError, match=message):
        start(families_data, stopped, settings={}, resume=True)


def test_a_config_that_is_damaged(stopped: Path, families_data: Path) -> None:
    (stopped / "config.json").write_text('{"model": {')
    with pytest.raises(RunError, match=r"config\.json: the file is damaged"):
        start(families_data, stopped, settings={}, resume=True)


def empty_graph() -> KnowledgeGraph:
    names = Vocabulary("entity", ("a", "b")), Vocabulary("relation", ("r",))
    return KnowledgeGraph(*names, {"train": np.empty((0, 3), np.int32)})


@pytest.mark.parametrize(
    ("graph", "settings", "error"),
    [
        (empty_graph(), {}, DataError),
        (families(), {"structures": "i(p(e),p(e),p(e),p(e),p(e),p(e),p(e),p(e),p(e))"}, DataError),
        (families(), {"structures": "2q"}, ConfigError),
        (families(), {"device": "abacus"}, ConfigError),
        (families(), {"device": "cuda:77"}, ConfigError),
        (families(), {"dimm": 3}, ConfigError),
    ],
    ids=["empty graph", "no such query", "no such shape", "device", "cuda", "name"],
)
def test_what_cannot_be_trained_leaves_no_folder(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    graph: KnowledgeGraph,
    settings: dict[str, object],
    error: type[Query2boxError],
) -> None:
    monkeypatch.setattr(sampler, "MAX_TRIES", 1000)
    with pytest.raises(error):
        start(graph, tmp_path / "run", settings={**NO_VALIDATION, **settings})
    assert not (tmp_path / "run").exists()


def test_a_model_that_does_not_fit_into_memory(tmp_path: Path) -> None:
    limits = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (16 << 30, limits[1]))
    try:
        with pytest.raises(ConfigError, match="131,072 dimensions does not fit into memory"):
            start(
                families(),
                tmp_path / "run",
                settings={**NO_VALIDATION, "dim": 65_536, "hidden": 65_536},
            )
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)
    assert not (tmp_path / "run").exists()


def test_damaged_validation_queries_are_named(families_data: Path, tmp_path: Path) -> None:
    shutil.copytree(families_data, tmp_path / "data")
    with (tmp_path / "data" / "valid-queries.jsonl").open("a") as file:
        file.write('{"query": ["p", "no such relation", ["e", 0]]}\n')
    with pytest.raises(DataError, match=r"valid-queries\.jsonl:19: unknown relation"):
        start(tmp_path / "data", tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_validation_queries_without_hard_answers(families_data: Path, tmp_path: Path) -> None:
    shutil.copytree(families_data, tmp_path / "data")
    path = tmp_path / "data" / "valid-queries.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    path.write_text("".join(json.dumps({**line, "hard": []}) + "\n" for line in lines))
    with pytest.raises(DataError, match=r"valid-queries\.jsonl: no query in this file has a hard"):
        start(tmp_path / "data", tmp_path / "run")


def test_divergence_keeps_the_last_good_checkpoint(families_data: Path, tmp_path: Path) -> None:
    run = start(families_data, tmp_path / "run", steps=5)
    good = tensors(run.path / CHECKPOINT)
    document = json.loads((run.path / "config.json").read_text())
    document["training"] |= {"learning_rate": 1e30, "travel": 0.0}
    (run.path / "config.json").write_text(json.dumps(document))
    with pytest.raises(RunError, match=r"diverged at step \d+.*a smaller learning_rate may help"):
        start(families_data, tmp_path / "run", settings={}, resume=True)
    assert all(torch.equal(t, good[n]) for n, t in tensors(run.path / CHECKPOINT).items())
    Bundle.load(run.path)
