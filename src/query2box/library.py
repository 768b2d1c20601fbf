"""The verbs of the library that need a run and its answers: `train`, `update`, `evaluate`.

Training knows nothing of probabilities and answering nothing of runs; here they
meet, for Python and for the command line alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from query2box.answering.calibration import CALIBRATION, QUERIES, Calibration, fit, reliability
from query2box.answering.space import Space
from query2box.bundle import Bundle
from query2box.errors import DataError, RunError
from query2box.experiment import judging, updating
from query2box.experiment import run as running
from query2box.experiment.queries import at_most, evaluation_queries
from query2box.experiment.run import Run, Spectator
from query2box.experiment.updating import Update
from query2box.graph.files import atomic_folder
from query2box.graph.knowledge_graph import KnowledgeGraph, Split
from query2box.graph.readers.reading import Reading
from query2box.workload.query_set import QueryGroup


def train(
    graph: KnowledgeGraph | str | Path,
    out: str | Path,
    model: str | None = None,
    preset: str | None = None,
    minutes: float | None = None,
    seed: int | None = None,
    settings: Mapping[str, object] | None = None,
    resume: bool = False,
    queries: str | Path | None = None,
    spectator: Spectator | None = None,
) -> Run:
    """Train a system of the paper (`query2box` by default) and leave a run folder behind.

    `settings` replaces single options by name (docs/options.md). `queries` is a
    folder with validation queries; by default the dataset's own, if `graph` is a
    folder, or else sampled ones. `resume` goes on with what `out` holds, with
    the options that it began with. A finished run is calibrated.
    """
    run = running.train(
        graph, out, model, preset, minutes, seed, settings, resume, queries, spectator
    )
    calibrate(run)
    return run


def update(
    run: str | Path,
    add: str | Path | Sequence[str | Path],
    out: str | Path,
    minutes: float | None = None,
    steps: int | None = None,
    seed: int = 0,
    reading: Reading | None = None,
    spectator: Spectator | None = None,
) -> Update:
    """Let a run take up the new edges of files, and leave another run folder behind.

    Entities and relations keep their ids, new ones come after them. Their embeddings
    begin where the new edges put them, and a short fine-tune of everything follows:
    for so many `minutes` or `steps`, by default for a tenth of the steps that the run
    has taken. `reading` says how to read tables. The new run is calibrated.
    """
    if Path(out).exists():
        raise RunError(f"{out}: this is there already; name another folder")
    sources = [add] if isinstance(add, str | Path) else add
    with atomic_folder(out) as folder:
        done = updating.update(run, sources, folder, reading, minutes, steps, seed, spectator)
        _fit(folder)
    return done


def calibrate(run: Run) -> Calibration | None:
    """Fit the probabilities of a finished run's answers to validation queries, if there are any."""
    (run.path / CALIBRATION).unlink(missing_ok=True)  # it was of another model
    return _fit(run.path) if run.finished else None


def _fit(path: Path) -> Calibration | None:
    bundle = Bundle.load(path)
    try:
        queries = evaluation_queries(bundle.graph, "valid", bundle.folder, QUERIES)
    except DataError:
        return None
    calibration = fit(Space(bundle.model), queries)
    calibration.save(path)
    return calibration


def evaluate(
    run: str | Path | Bundle,
    queries: str | Path | None = None,
    split: Split | None = None,
    folder: str | Path | None = None,
    limit: int = 0,
    link_prediction: bool = False,
    by_missing_edges: bool = False,
    details: bool = False,
) -> dict[str, Any]:
    """Judge a run on a query file or on its dataset's split, by the paper's protocol.

    `folder` is the dataset folder whose query files count, by default the one
    that the run was trained on; where it has none, queries are sampled from the
    run's graph. `link_prediction` asks for every edge of the split instead and
    averages over edges (appendix C). `by_missing_edges` adds figures by how many
    missing edges the easiest proof of an answer needs, `details` the numbers of
    answers and the histogram of ranks of each structure.

    `reliability` in the report says how far probabilities are from what is true:
    for test queries those that the run's answers have, for others, which the run
    may have been calibrated with, under cross-validation.
    """
    calibration = None
    if split == "test" and not isinstance(run, Bundle):
        calibration = Calibration.load(run)
    bundle = run if isinstance(run, Bundle) else Bundle.load(run)

    def reliable(groups: Sequence[QueryGroup]) -> dict[str, Any]:
        some = [at_most(group, QUERIES) for group in groups]
        return {"reliability": reliability(Space(bundle.model), some, calibration)}

    return judging.evaluate(
        bundle,
        queries,
        split,
        folder,
        limit,
        link_prediction,
        by_missing_edges,
        details,
        reliable,
    )
