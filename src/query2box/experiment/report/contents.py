"""What stands in a report, and in which order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from query2box.experiment.report import plots
from query2box.experiment.report.box_sizes import (
    box_sizes,
    boxed,
    correlation_table,
    extremes_table,
)
from query2box.experiment.report.datasets import Dataset, datasets_of
from query2box.experiment.report.disjoint import disjoint_queries, disjoint_table, in_words
from query2box.experiment.report.document import Block, Document, Picture, Section
from query2box.experiment.report.quality import (
    SPLIT_NAMES,
    describe_queries,
    link_prediction_table,
    metric_table,
    runs_table,
)
from query2box.experiment.report.runs import RunFigures
from query2box.experiment.report.statistics import graph_table, query_table
from query2box.graph.knowledge_graph import Split


def compose(runs: Sequence[RunFigures], split: Split, with_plots: bool = True) -> Document:
    """The whole report of collected runs: all of them, then graph after graph."""
    datasets = datasets_of(runs)
    return Document(
        "Query2box: results",
        (
            Section("Runs", tuple(_overview(runs, datasets, split))),
            *(Section(one.name, tuple(_results(one, split, with_plots))) for one in datasets),
            Section("How many dimensions would unions need?", tuple(_theorem(datasets))),
        ),
    )


def _overview(
    runs: Sequence[RunFigures], datasets: Sequence[Dataset], split: Split
) -> Iterator[Block]:
    names = ", ".join(dataset.name for dataset in datasets)
    yield (
        f"{len(runs)} run{'s' * (len(runs) != 1)} on {names}, judged on {SPLIT_NAMES[split]} "
        "queries by the paper's protocol: each answer that needs a missing edge is ranked "
        "against the entities that are no answer. Figures are means over a query's answers, "
        "then over queries, then over structures."
    )
    yield runs_table(runs, split)
    yield graph_table(datasets)


def _theorem(datasets: Sequence[Dataset]) -> Iterator[Block]:
    found = [(dataset, disjoint_queries(dataset.graph)) for dataset in datasets]
    yield disjoint_table(found)
    for dataset, disjoint in found:
        yield in_words(dataset, disjoint)


def _results(dataset: Dataset, split: Split, with_plots: bool) -> Iterator[Block]:
    yield metric_table(dataset, split, "hits@3")
    if with_plots:
        yield _by_structure(dataset, split)
    yield metric_table(dataset, split, "mrr")
    yield link_prediction_table(dataset, split)
    yield query_table(dataset, split)
    if with_plots:
        yield from _pictures(dataset, split)
    yield from _box_sizes(dataset, with_plots)


def _by_structure(dataset: Dataset, split: Split) -> Picture:
    words = f"{describe_queries(dataset, split)} Bars are one standard deviation over seeds."
    if dataset.paper:
        words += " Short lines are the paper's figures, of its test queries."
    return Picture(
        f"structures-{dataset.slug}",
        f"H@3 by structure and system on {dataset.name}",
        words,
        plots.by_structure(dataset),
    )


def _pictures(dataset: Dataset, split: Split) -> Iterator[Picture]:
    name, slug = dataset.name, dataset.slug
    queries = describe_queries(dataset, split)
    for kind, title, words, svg in (
        (
            "time",
            f"Quality against time on {name}",
            "A line a run. Validation during training looks at fewer queries than the tables do.",
            plots.quality_against_time(dataset),
        ),
        (
            "learning",
            f"Learning curves on {name}",
            "A line a run; losses of systems that train on other structures do not compare.",
            plots.learning_curves(dataset),
        ),
        (
            "ranks",
            f"Ranks of hard answers on {name}",
            f"{queries} Each query counts alike, so the first pieces add up to H@1, H@3 and H@10.",
            plots.rank_histograms(dataset),
        ),
        (
            "calibration",
            f"Calibration on {name}",
            "Entities near validation queries, cross-validated; the first seed of each system.",
            plots.calibration(dataset),
        ),
    ):
        if svg is not None:
            yield Picture(f"{kind}-{slug}", title, words, svg)


def _box_sizes(dataset: Dataset, with_plots: bool) -> Iterator[Block]:
    table = correlation_table(dataset)
    if table is None:
        return
    yield table
    series = boxed(dataset)[0]
    label = f"{series.label}, seed {series.config.seed}"
    sizes = box_sizes(series.runs[0], dataset.graph)
    yield extremes_table(dataset, label, sizes)
    if with_plots:
        yield Picture(
            f"boxes-{dataset.slug}",
            f"Box sizes on {dataset.name}, {label}",
            "A point a directed relation; answers are counted on the training edges.",
            plots.box_scatter(sizes),
        )
