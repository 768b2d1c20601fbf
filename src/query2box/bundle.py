"""A trained model on disk, with all that is needed to ask it: no pickle.

config.json         the resolved config and what it was trained on
graph/              the dataset folder: names, labels, edges
model.safetensors   the parameters
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Container, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import torch
from safetensors import SafetensorError, safe_open

from query2box.errors import ConfigError, DataError, RunError
from query2box.graph.duplicates import drop_duplicates
from query2box.graph.files import atomic_binary, atomic_text
from query2box.graph.folder import load_folder, save_graph
from query2box.graph.knowledge_graph import KnowledgeGraph
from query2box.model.config import ModelConfig
from query2box.model.embedding import QueryEmbedding

CONFIG = "config.json"
GRAPH = "graph"
MODEL = "model.safetensors"
PART = 1 << 22
"""Numbers that are looked at together."""


def fingerprint(graph: KnowledgeGraph) -> str:
    """Tells graphs apart by their names and edges; edges that stand twice count once."""
    digest = hashlib.sha256()
    for vocabulary in (graph.entities, graph.relations):
        for name in vocabulary:
            digest.update(name.encode() + b"\n")
        digest.update(b"\0")
    edges = {split: graph.edges_of(split) for split in graph.splits}
    for split, rows in drop_duplicates(edges, graph.num_entities, graph.num_relations)[0].items():
        digest.update(split.encode() + rows.tobytes())
    return digest.hexdigest()


def save_tensors(
    path: Path, tensors: Mapping[str, torch.Tensor], metadata: Mapping[str, Any]
) -> None:
    """Write tensors and a JSON document beside them, whole or not at all."""
    whole = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    with atomic_binary(path) as file:
        _write(file, whole, {"json": json.dumps(metadata)})


def _write(file: BinaryIO, tensors: Mapping[str, torch.Tensor], metadata: dict[str, str]) -> None:
    """The safetensors format, written piece by piece.

    The library's own writer makes a file beside the one it is given, with other
    permissions, and does not wait for the disk; or it needs room for a copy.
    """
    header: dict[str, object] = {"__metadata__": metadata}
    end = 0
    for name, tensor in tensors.items():
        start, end = end, end + tensor.nbytes
        header[name] = {
            "dtype": _DTYPES[tensor.dtype],
            "shape": list(tensor.shape),
            "data_offsets": [start, end],
        }
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    file.write(len(text).to_bytes(8, "little") + text)
    for tensor in tensors.values():
        file.write(tensor.numpy().data)


_DTYPES = {torch.float32: "F32"}


def load_tensors(
    path: Path, unread: Container[str] = ()
) -> tuple[dict[str, torch.Tensor], dict[str, Any]]:
    """What `save_tensors` wrote, mapped into memory; a damaged file is named.

    Whether the numbers are finite is not looked at in tensors that are to stay
    `unread`: looking would fetch all of the file from the disk.
    """
    if not path.is_file():
        raise RunError(f"{path}: there is no such file")
    try:
        with safe_open(path, "pt") as file:
            metadata = json.loads((file.metadata() or {}).get("json", "{}"))
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, ValueError) as error:
        raise RunError(f"{path}: the file is damaged ({error})") from error
    if not isinstance(metadata, dict):
        raise RunError(f"{path}: the file is damaged (its metadata is no JSON object)")
    if any(tensor.dtype not in _DTYPES for tensor in tensors.values()):
        raise RunError(f"{path}: the file is damaged (it holds numbers of another type)")
    if not all(is_finite(tensor) for name, tensor in tensors.items() if name not in unread):
        raise not_finite(path)
    return tensors, metadata


def is_finite(tensor: torch.Tensor) -> bool:
    """Whether a tensor holds numbers only; a large one is looked at in parts."""
    return all(bool(part.isfinite().all()) for part in torch.split(tensor.reshape(-1), PART))


def not_finite(path: Path) -> RunError:
    """The error of a file with numbers that are none."""
    return RunError(f"{path}: the file is damaged (it holds numbers that are not finite)")


def read_config(run: Path) -> dict[str, Any]:
    """The `config.json` of a run."""
    path = run / CONFIG
    if not path.is_file():
        raise RunError(f"{run}: this is no run folder, it has no {CONFIG}")
    try:
        document = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise RunError(f"{path}: the file is damaged ({error})") from error
    if not isinstance(document, dict):
        raise RunError(f"{path}: the file is damaged (no JSON object)")
    return document


def create_run(
    run: Path,
    graph: KnowledgeGraph,
    config: Mapping[str, Any],
    folder: str | Path | None = None,
) -> None:
    """Begin a run folder: the config, the graph, and the dataset folder it came from."""
    run.mkdir(parents=True, exist_ok=True)
    save_graph(graph, run / GRAPH)
    source = str(Path(folder).resolve()) if folder and Path(folder).is_dir() else None
    document = {
        **config,
        "graph": {"name": graph.name, "fingerprint": fingerprint(graph), "folder": source},
    }
    with atomic_text(run / CONFIG) as file:
        json.dump(document, file, indent=2)


@dataclass(frozen=True)
class Bundle:
    """A trained model and the graph it was trained on."""

    config: dict[str, Any]
    graph: KnowledgeGraph
    model: QueryEmbedding
    file: Path | None = None
    """Where the parameters are; the entity table is read from there as it is needed."""
    step: int = 0
    """After how many steps of training."""

    @property
    def folder(self) -> str | None:
        """The dataset folder that the graph came from, whose query files belong to it."""
        found = self.config["graph"].get("folder")
        return found if isinstance(found, str) else None

    @classmethod
    def load(cls, run: str | Path) -> Bundle:
        """Open a run folder; the entity table stays in its file (`check` reads it all)."""
        run = Path(run)
        if not run.is_dir():
            raise RunError(f"{run}: there is no such run folder")
        config = read_config(run)
        try:
            known = config["graph"]
            graph = load_folder(run / GRAPH, known["name"]).graph
            if known["fingerprint"] != fingerprint(graph):
                raise RunError(f"{run / GRAPH}: the graph is not the one that the run began with")
            model_config = ModelConfig(**config["model"])
            with torch.device("meta"):  # the parameters stay in the file, which processes share
                model = QueryEmbedding(model_config, graph.num_entities, 2 * graph.num_relations)
        except DataError as error:
            raise RunError(f"the run's graph is damaged: {error}") from error
        except (KeyError, TypeError, RuntimeError, ConfigError) as error:
            raise RunError(f"{run / CONFIG}: the file is damaged ({error!r})") from error
        tensors, metadata = load_tensors(run / MODEL, unread=("points",))
        try:
            model.load_state_dict(tensors, assign=True)
        except RuntimeError as error:
            raise RunError(f"{run / MODEL}: the file does not fit the run's config") from error
        step = metadata.get("step")
        return cls(config, graph, model.eval(), run / MODEL, step if isinstance(step, int) else 0)

    def check(self) -> None:
        """Refuse an entity table that holds something else than numbers."""
        if self.file is not None and not is_finite(self.model.points):
            raise not_finite(self.file)
