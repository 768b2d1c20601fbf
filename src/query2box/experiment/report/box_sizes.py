"""Box sizes: do relations that lead to many entities have large boxes?

Query2box, appendix app:offset_analysis and its table tab:boxoffset_analysis.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from query2box.bundle import MODEL, load_tensors
from query2box.errors import RunError
from query2box.evaluation.metrics import FloatArray
from query2box.experiment.report.datasets import Dataset
from query2box.experiment.report.runs import RunFigures
from query2box.experiment.report.series import Series, spread
from query2box.experiment.report.tables import Figure, Row, Table
from query2box.graph.knowledge_graph import KnowledgeGraph

SHOWN = 10


@dataclass(frozen=True, eq=False)
class BoxSizes:
    """Directed relations by the size of their boxes and by what their 1p queries lead to."""

    relations: tuple[str, ...]
    sizes: FloatArray
    """The L1 norm of the learned offset."""
    answers: FloatArray
    """The mean number of answers of 1p queries on the training edges."""

    @property
    def correlation(self) -> float | None:
        """Of the two by rank."""
        return rank_correlation(self.sizes, self.answers)


def measure(run: Path, graph: KnowledgeGraph) -> BoxSizes:
    """The boxes of a run's relations; those without training edges were never learned."""
    tensors, _ = load_tensors(run / MODEL, unread=("points",))
    offsets = tensors.get("offsets")
    if offsets is None or len(offsets) != 2 * graph.num_relations:
        raise RunError(f"{run / MODEL}: the model has no box for each relation of the run's graph")
    answers = mean_answers(graph.train)
    used = np.flatnonzero(answers > 0)
    return BoxSizes(
        tuple(graph.relation_name(int(relation)) for relation in used),
        offsets.abs().sum(1, dtype=offsets.double().dtype).numpy()[used],
        answers[used],
    )


def mean_answers(graph: KnowledgeGraph) -> FloatArray:
    """The mean number of answers of each directed relation's 1p queries, 0 without any."""
    adjacency = graph.adjacency
    size = 2 * graph.num_relations
    queries = np.bincount(adjacency.group_relations, minlength=size)
    objects = np.diff(adjacency.group_objects)
    answers = np.bincount(adjacency.group_relations, objects, minlength=size)
    return np.asarray(answers / np.maximum(queries, 1), np.float64)


def rank_correlation(first: npt.ArrayLike, second: npt.ArrayLike) -> float | None:
    """Spearman's: the correlation of ranks, equals sharing theirs; None where nothing differs."""
    ranks = [_ranks(np.asarray(values, np.float64)) for values in (first, second)]
    away = [rank - rank.mean() if len(rank) else rank for rank in ranks]
    norm = np.sqrt((away[0] ** 2).sum() * (away[1] ** 2).sum())
    return float((away[0] * away[1]).sum() / norm) if norm > 0 else None


def _ranks(values: FloatArray) -> FloatArray:
    """From 1, ties at the mean of their places."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2)[place], np.float64)


def boxed(dataset: Dataset) -> tuple[Series, ...]:
    """The series whose relations have boxes of their own."""
    return tuple(one for one in dataset.series if one.config.model.offset == "adaptive")


def correlation_table(dataset: Dataset) -> Table | None:
    """The rank correlation of each system that learns box sizes; None where none does."""
    rows: list[Row] = []
    for series in boxed(dataset):
        found = [box_sizes(run, dataset.graph).correlation for run in series.runs]
        rows.append((series.label, spread([one for one in found if one is not None], 2)))
    if not rows:
        return None
    return Table(
        f"box-correlation-{dataset.slug}",
        f"Box size and number of answers on {dataset.name}",
        ("system", "rank correlation"),
        tuple(rows),
        "Spearman's correlation, over directed relations, of the L1 norm of the learned offset "
        "with the mean number of answers of 1p queries on the training edges.",
    )


def box_sizes(run: RunFigures, graph: KnowledgeGraph) -> BoxSizes:
    """The boxes of a judged run."""
    assert run.path is not None  # noqa: S101 -- what was judged has a folder
    return measure(run.path, graph)


def extremes_table(dataset: Dataset, label: str, sizes: BoxSizes) -> Table:
    """The relations with the smallest and with the largest boxes, each once."""
    order = np.argsort(sizes.sizes, kind="stable").tolist()
    shown = min(SHOWN, -(-len(order) // 2))
    halves = ("smallest", order[:shown]), ("largest", order[shown:][: -shown - 1 : -1])
    return Table(
        f"box-sizes-{dataset.slug}",
        f"Relations of {dataset.name} with the smallest and the largest boxes, {label}",
        ("", "relation", "answers", "box size"),
        tuple(
            (
                kind if place == 0 else "",
                sizes.relations[relation],
                Figure(float(sizes.answers[relation]), digits=1),
                Figure(float(sizes.sizes[relation]), digits=1),
            )
            for kind, relations in halves
            for place, relation in enumerate(relations)
        ),
        "Answers are the mean number of those of 1p queries on the training edges, box size is "
        "the L1 norm of the offset (as tab:boxoffset_analysis); ^ marks inverse relations.",
    )
