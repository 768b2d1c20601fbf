"""The evaluations of a run, kept in its folder: whoever asks again does not wait again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from query2box.bundle import MODEL, Bundle, read_config
from query2box.errors import RunError
from query2box.evaluation.details import EDGES
from query2box.evaluation.metrics import Metrics
from query2box.experiment.judging import evaluate
from query2box.experiment.queries import query_file
from query2box.graph.files import atomic_text
from query2box.graph.knowledge_graph import Split

FOLDER = "evaluations"
LINK_PREDICTION = "link_prediction"
_FIGURES = Metrics.mean([]).to_json().keys()


def evaluated(
    run: str | Path, split: Split, limit: int = 0, link_prediction: bool = False
) -> dict[str, Any]:
    """The figures of a run on its dataset's split, as `q2b evaluate --json` prints them.

    Besides: `split`, `limit`, `details` (numbers of answers and shares of ranks
    of each structure), where asked for `link_prediction` (the mean over edges),
    and the digests of the model and of the query file. As long as those are the
    same, what was found before is read instead.
    """
    run = Path(run)
    known = _read(evaluation_file(run, split, limit))
    digests = {"model": _model_digest(run), "queries": _queries_digest(run, split)}
    document = known if known is not None and _fits(known, digests) else None
    if document is not None and (not link_prediction or LINK_PREDICTION in document):
        return document
    bundle = Bundle.load(run)
    if document is None:
        found = evaluate(bundle, split=split, limit=limit, details=True)
        document = {"split": split, "limit": limit, **digests, **found}
    if link_prediction:
        edges = evaluate(bundle, split=split, limit=limit, link_prediction=True)
        document[LINK_PREDICTION] = edges["average"]
    path = evaluation_file(run, split, limit)
    path.parent.mkdir(exist_ok=True)
    with atomic_text(path) as file:
        json.dump(document, file, indent=1)
    return document


def evaluation_file(run: str | Path, split: Split, limit: int = 0) -> Path:
    """Where the evaluation of a split is kept; each limit has its own file."""
    return Path(run) / FOLDER / f"{split}{f'-{limit}' if limit else ''}.json"


def _read(path: Path) -> dict[str, Any] | None:
    """What was kept; a file that is damaged or of another version counts as none."""
    try:
        document = json.loads(path.read_text("utf-8"))
        rows = [document["average"], *document["structures"].values()]
        whole = (
            document["structures"].keys() == document["details"].keys()
            and all(row.keys() == _FIGURES for row in rows)
            and all(len(one["ranks"]) == len(EDGES) + 1 for one in document["details"].values())
        )
    except (OSError, AttributeError, KeyError, TypeError, ValueError):
        return None
    return document if whole else None


def _fits(known: Mapping[str, Any], digests: Mapping[str, str | None]) -> bool:
    """Whether an evaluation is of this model and, where its query file is there, of that."""
    return known.get("model") == digests["model"] and digests["queries"] in (
        None,
        known.get("queries"),
    )


def _model_digest(run: Path) -> str:
    if not run.is_dir():
        raise RunError(f"{run}: there is no such run folder")
    read_config(run)
    if not (run / MODEL).is_file():
        raise RunError(f"{run}: the run has no {MODEL} yet")
    return _digest(run / MODEL)


def _queries_digest(run: Path, split: Split) -> str | None:
    """The digest of the dataset's own queries, if there are any."""
    graph = read_config(run).get("graph")
    folder = graph.get("folder") if isinstance(graph, dict) else None
    path = query_file(folder, split) if isinstance(folder, str) else None
    return None if path is None else _digest(path)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
