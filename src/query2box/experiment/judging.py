"""`evaluate`: a run folder and queries in, figures out."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from query2box.bundle import Bundle
from query2box.errors import DataError
from query2box.evaluation.evaluator import evaluate_queries, rank_group
from query2box.evaluation.link_prediction import link_queries
from query2box.evaluation.metrics import Metrics
from query2box.experiment.queries import at_most, evaluation_queries, read_hard_queries
from query2box.experiment.threads import use_threads
from query2box.graph.knowledge_graph import Split


def evaluate(
    run: str | Path | Bundle,
    queries: str | Path | None = None,
    split: Split | None = None,
    folder: str | Path | None = None,
    limit: int = 0,
    link_prediction: bool = False,
) -> dict[str, Any]:
    """Judge a run on a query file or on its dataset's split, by the paper's protocol.

    `folder` is the dataset folder whose query files count; without one, queries
    are sampled from the run's graph. `link_prediction` asks for every edge of the
    split instead and averages over edges (appendix C).
    """
    bundle = run if isinstance(run, Bundle) else Bundle.load(run)
    use_threads()
    if (queries is None) == (split is None):
        raise DataError("say either a query file or a split")
    if link_prediction:
        if split is None:
            raise DataError("link prediction asks for the edges of a split; say which")
        group = at_most(link_queries(bundle.graph, split), limit)
        began = time.perf_counter()
        figures = Metrics.by_answer(rank_group(bundle.model, group).realistic).to_json()
        report: dict[str, Any] = {"average": figures, "structures": {"1p": figures}}
    else:
        if queries is not None:
            found = tuple(at_most(g, limit) for g in read_hard_queries(queries, bundle.graph))
        else:
            assert split is not None  # noqa: S101
            found = evaluation_queries(bundle.graph, split, folder or bundle.folder, limit)
        began = time.perf_counter()
        report = evaluate_queries(bundle.model, found).to_json()
    return {**report, "seconds": time.perf_counter() - began}
