"""Models on disk: exact, whole, and named where they are damaged."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file

from families import families
from query2box.answering.reasoner import Reasoner
from query2box.bundle import (
    Bundle,
    create_run,
    fingerprint,
    load_tensors,
    read_config,
    save_tensors,
)
from query2box.errors import RunError
from query2box.graph.folder import load_folder, save_graph
from query2box.graph.knowledge_graph import KnowledgeGraph
from query2box.model.config import ModelConfig
from query2box.model.embedding import QueryEmbedding

GRAPH = families(held_out=4)


def make_model(**options: object) -> QueryEmbedding:
    config = ModelConfig(dim=4, **options)
    generator = torch.Generator().manual_seed(0)
    return QueryEmbedding(config, GRAPH.num_entities, 2 * GRAPH.num_relations, generator)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    create_run(folder, GRAPH, {"model": {"dim": 4}})
    save_tensors(folder / "model.safetensors", make_model().state_dict(), {"step": 3})
    return folder


# Tensors


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(
    st.dictionaries(
        st.text(min_size=1, max_size=5).filter(lambda name: name != "__metadata__"),
        st.lists(st.integers(0, 4), max_size=3),
        max_size=4,
    ),
    st.integers(0, 2**32),
)
def test_tensors_come_back_bit_by_bit(tmp_path: Path, shapes, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    tensors = {name: torch.randn(shape, generator=generator) for name, shape in shapes.items()}
    metadata = {"best": -float("inf"), "step": seed, "name": "é"}
    save_tensors(tmp_path / "file", tensors, metadata)
    found, said = load_tensors(tmp_path / "file")
    assert said == metadata
    assert found.keys() == tensors.keys()
    assert all(torch.equal(found[name], tensors[name]) for name in tensors)
    # Whoever reads safetensors reads these files.
    assert all(torch.equal(t, tensors[name]) for name, t in load_file(tmp_path / "file").items())


def test_a_slice_is_saved_as_it_looks(tmp_path: Path) -> None:
    table = torch.arange(12.0).view(3, 4)
    save_tensors(tmp_path / "file", {"a": table.T, "b": table[:, 1]}, {})
    found, _ = load_tensors(tmp_path / "file")
    assert found["a"].tolist() == table.T.tolist()
    assert found["b"].tolist() == [1.0, 5.0, 9.0]


def test_others_may_read_the_file(tmp_path: Path) -> None:
    save_tensors(tmp_path / "file", {"a": torch.zeros(1)}, {})
    (tmp_path / "plain").touch()
    assert (tmp_path / "file").stat().st_mode == (tmp_path / "plain").stat().st_mode


@given(share=st.floats(0, 1, exclude_max=True))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
def test_a_truncated_file_is_named(tmp_path: Path, share: float) -> None:
    path = tmp_path / "file"
    save_tensors(path, {"a": torch.ones(9)}, {"step": 1})
    whole = path.read_bytes()
    path.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(RunError, match=r"file: the file is damaged"):
        load_tensors(path)


@given(noise=st.binary(max_size=60))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
def test_noise_is_named(tmp_path: Path, noise: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(noise)
    with pytest.raises(RunError, match="file: the file is damaged"):
        load_tensors(path)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_numbers_that_are_none(tmp_path: Path, value: float) -> None:
    save_tensors(tmp_path / "file", {"a": torch.tensor([1.0, value])}, {})
    with pytest.raises(RunError, match="not finite"):
        load_tensors(tmp_path / "file")


@pytest.mark.parametrize("metadata", ["[]", "3", '"text"'])
def test_metadata_that_are_no_object(tmp_path: Path, metadata: str) -> None:
    save_tensors(tmp_path / "file", {}, json.loads(metadata))
    with pytest.raises(RunError, match="no JSON object"):
        load_tensors(tmp_path / "file")


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="no such file"):
        load_tensors(tmp_path / "file")


def test_a_full_disk_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "file"
    save_tensors(path, {"a": torch.ones(9)}, {"step": 1})
    script = f"""
import resource, sys, torch
from pathlib import Path
from query2box.bundle import save_tensors
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
try:
    save_tensors(Path({str(path)!r}), {{"a": torch.ones(100_000)}}, {{"step": 2}})
except OSError as error:
    print(error.filename)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == f"{path}\n"
    assert load_tensors(path)[1] == {"step": 1}
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


# Run folders


def test_a_model_comes_back_bit_by_bit(run: Path) -> None:
    bundle = Bundle.load(run)
    assert bundle.graph.name == "families"
    assert list(bundle.graph.entities) == list(GRAPH.entities)
    assert bundle.model.config == ModelConfig(dim=4)
    for name, tensor in make_model().state_dict().items():
        assert torch.equal(bundle.model.state_dict()[name], tensor), name
    assert not bundle.model.training


def test_the_dataset_folder_is_remembered(tmp_path: Path, run: Path) -> None:
    assert Bundle.load(run).folder is None
    create_run(tmp_path / "other", GRAPH, {"model": {"dim": 4}}, folder=tmp_path)
    assert read_config(tmp_path / "other")["graph"]["folder"] == str(tmp_path)
    create_run(tmp_path / "built-in", GRAPH, {}, folder="no-such-folder")
    assert read_config(tmp_path / "built-in")["graph"]["folder"] is None


def test_no_run_folder(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="no such run folder"):
        Bundle.load(tmp_path / "nowhere")
    with pytest.raises(RunError, match=r"no run folder, it has no config\.json"):
        Bundle.load(tmp_path)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "{}", '{"model": 3}', '{"model": {}, "graph": 3}', "\xff", '{"graph": {}}'],
)
def test_a_damaged_config_is_named(run: Path, text: str) -> None:
    (run / "config.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(RunError, match=r"config\.json: the file is damaged"):
        Bundle.load(run)


@pytest.mark.parametrize(
    "model",
    [
        {"dimm": 4},
        {"dim": "four"},
        {"dim": 4.5},
        {"dim": -1},
        {"dim": None},
        {"dim": 4, "center": "nonsense"},
        {"dim": 4, "offset": "nonsense"},
    ],
    ids=str,
)
def test_a_config_that_makes_no_model(run: Path, model: dict[str, object]) -> None:
    document = read_config(run)
    (run / "config.json").write_text(json.dumps({**document, "model": model}))
    with pytest.raises(RunError, match=r"config\.json: the file is damaged"):
        Bundle.load(run)


def test_a_config_of_another_size(run: Path) -> None:
    document = read_config(run)
    (run / "config.json").write_text(json.dumps({**document, "model": {"dim": 5}}))
    with pytest.raises(RunError, match=r"model\.safetensors: the file does not fit"):
        Bundle.load(run)


def test_no_model(run: Path) -> None:
    (run / "model.safetensors").unlink()
    with pytest.raises(RunError, match=r"model\.safetensors: there is no such file"):
        Bundle.load(run)


def test_a_graph_that_is_gone(run: Path) -> None:
    (run / "graph" / "train.tsv").unlink()
    with pytest.raises(RunError, match=r"graph is damaged: .*train\.tsv"):
        Bundle.load(run)


@pytest.mark.parametrize("name", ["entities.tsv", "relations.tsv", "train.tsv"])
def test_a_graph_that_is_another(run: Path, name: str) -> None:
    path = run / "graph" / name
    first, *rest = path.read_text().splitlines(keepends=True)
    path.write_text("".join([*rest, first]))
    with pytest.raises(RunError, match="not the one that the run began with"):
        Bundle.load(run)


def damage(run: Path, name: str) -> None:
    tensors = {key: tensor.clone() for key, tensor in make_model().state_dict().items()}
    tensors[name][-1] = float("nan")
    save_tensors(run / "model.safetensors", tensors, {"step": 3})


def test_the_entity_table_is_read_when_it_is_needed(run: Path) -> None:
    damage(run, "points")
    bundle = Bundle.load(run)
    with pytest.raises(RunError, match=r"model\.safetensors: the file is damaged .*not finite"):
        bundle.check()
    with pytest.raises(RunError, match=r"model\.safetensors: the file is damaged .*not finite"):
        Reasoner(bundle).prepare()


@pytest.mark.parametrize("name", ["centers", "offsets", "intersect.heads.0.center.inner.weight"])
def test_everything_else_is_looked_at_when_a_run_is_opened(run: Path, name: str) -> None:
    damage(run, name)
    with pytest.raises(RunError, match=r"model\.safetensors: the file is damaged .*not finite"):
        Bundle.load(run)


def test_a_whole_run_passes(run: Path) -> None:
    bundle = Bundle.load(run)
    bundle.check()
    assert (bundle.file, bundle.step) == (run / "model.safetensors", 3)


# Fingerprints


def test_a_graph_keeps_its_fingerprint_on_disk(tmp_path: Path) -> None:
    save_graph(GRAPH, tmp_path / "graph")
    assert fingerprint(load_folder(tmp_path / "graph").graph) == fingerprint(GRAPH)


def test_edges_that_stand_twice_do_not_matter() -> None:
    splits = {split: GRAPH.edges_of(split) for split in GRAPH.splits}
    twice = {**splits, "valid": np.concatenate((splits["valid"], splits["train"][:2]))}
    other = KnowledgeGraph(GRAPH.entities, GRAPH.relations, twice)
    assert fingerprint(other) == fingerprint(GRAPH)


def test_graphs_are_told_apart() -> None:
    seen = {fingerprint(GRAPH), fingerprint(GRAPH.train), fingerprint(families(held_out=5))}
    assert len(seen) == 3
