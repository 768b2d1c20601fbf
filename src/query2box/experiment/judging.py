"""`evaluate`: a run folder and queries in, figures out."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from query2box.bundle import Bundle
from query2box.errors import DataError
from query2box.evaluation.details import details as details_of
from query2box.evaluation.evaluator import rank_group, report_ranks
from query2box.evaluation.link_prediction import link_queries
from query2box.evaluation.metrics import Metrics
from query2box.evaluation.missing_edges import Costs, Pricing
from query2box.evaluation.missing_edges import by_missing_edges as split_by_missing_edges
from query2box.experiment.queries import (
    at_most,
    evaluation_queries,
    query_file,
    read_hard_queries,
)
from query2box.experiment.threads import use_threads
from query2box.graph.datasets import locate
from query2box.graph.knowledge_graph import SPLITS, KnowledgeGraph, Split
from query2box.workload.query_set import QueryGroup


def evaluate(
    run: str | Path | Bundle,
    queries: str | Path | None = None,
    split: Split | None = None,
    folder: str | Path | None = None,
    limit: int = 0,
    link_prediction: bool = False,
    by_missing_edges: bool = False,
    details: bool = False,
    also: Callable[[Sequence[QueryGroup]], Mapping[str, Any]] = lambda _: {},
) -> dict[str, Any]:
    """Judge a run on a query file or on its dataset's split, by the paper's protocol.

    `folder` is the dataset folder whose query files count, by default the one
    that the run was trained on; where it has none, queries are sampled from the
    run's graph. `link_prediction` asks for every edge of the split instead and
    averages over edges (appendix C). `by_missing_edges` adds figures by how many
    missing edges the easiest proof of an answer needs, `details` the numbers of
    answers and the histogram of ranks of each structure. What `also` has to say of
    the queries stands in the report as well.
    """
    bundle = run if isinstance(run, Bundle) else Bundle.load(run)
    bundle.check()
    threads = use_threads()
    if (queries is None) == (split is None):
        raise DataError("say either a query file or a split")
    if link_prediction:
        if split is None or by_missing_edges:
            raise DataError("link prediction asks for the edges of a split, each missing by itself")
        group = at_most(link_queries(bundle.graph, split), limit)
        began = time.perf_counter()
        figures = Metrics.by_answer(rank_group(bundle.model, group).realistic).to_json()
        seconds = time.perf_counter() - began
        return {"average": figures, "structures": {"1p": figures}, "seconds": seconds}

    groups, source = _queries(bundle, queries, split, folder, limit)
    began = time.perf_counter()
    ranks = [rank_group(bundle.model, group) for group in groups]
    report = report_ranks(zip(groups, ranks, strict=True)).to_json()
    report |= {"seconds": time.perf_counter() - began, "source": source}
    if details:
        report["details"] = details_of(zip(groups, ranks, strict=True))
    if by_missing_edges:
        costs = _price(bundle.graph, split, groups, threads)
        shares = split_by_missing_edges(zip(groups, ranks, costs, strict=True))
        report["by_missing_edges"] = {str(n): share.to_json() for n, share in shares.items()}
    return {**report, **also(groups)}


def _queries(
    bundle: Bundle,
    queries: str | Path | None,
    split: Split | None,
    folder: str | Path | None,
    limit: int,
) -> tuple[tuple[QueryGroup, ...], str]:
    """The queries, and where they come from: a file's path, or `sampled`."""
    if queries is not None:
        groups = read_hard_queries(queries, bundle.graph)
        return tuple(at_most(group, limit) for group in groups), str(queries)
    assert split is not None  # noqa: S101
    folder = locate(folder) if folder is not None else None
    if folder is not None and query_file(folder, split) is None:
        raise DataError(f"there is no {split}-queries.jsonl in this folder", folder)
    folder = folder or bundle.folder
    source = query_file(folder, split)
    return evaluation_queries(bundle.graph, split, folder, limit), str(source or "sampled")


def _price(
    graph: KnowledgeGraph, split: Split | None, groups: Sequence[QueryGroup], threads: int
) -> list[Costs]:
    """What the hard answers cost; a file's queries are of the first split that proves them."""
    for larger in SPLITS[1:] if split is None else (split,):
        smaller = SPLITS[SPLITS.index(larger) - 1]
        pricing = Pricing(graph.up_to(smaller).adjacency, graph.up_to(larger).adjacency)
        costs = [pricing.costs(group, threads) for group in groups]
        if all((part >= 0).all() for part in costs):
            return costs
    raise DataError("a hard answer has no proof on the run's graph, so nothing can be counted")
