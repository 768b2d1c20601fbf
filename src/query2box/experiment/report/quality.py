"""How good the models are: the paper's result tables, and a table of all runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from query2box.experiment.report.datasets import Dataset, dataset_names
from query2box.experiment.report.runs import RunFigures
from query2box.experiment.report.series import Series, recipe
from query2box.experiment.report.tables import Figure, Row, Table, count, with_best
from query2box.graph.knowledge_graph import Split

METRICS = {"hits@3": "H@3", "mrr": "MRR"}
SOURCES = {
    "hits@3": "tab:hits-baseline and tab:hits-ablation",
    "mrr": "tab:mrr-baseline and tab:mrr-ablation",
}
SPLIT_NAMES: dict[Split, str] = {"train": "training", "valid": "validation", "test": "test"}


def metric_table(dataset: Dataset, split: Split, metric: str) -> Table:
    """A metric of each system by structure, the paper's figures below ours."""
    paper = dataset.paper
    places = ("average", *dataset.structures)
    rows: list[Row] = []
    ours: list[int] = []
    for series in dataset.series:
        ours.append(len(rows))
        found = [series.metric(metric, place) for place in places]
        rows.append((series.label, *_trained(series), *found))
        if paper and paper.metric(metric, series.system, "average"):
            said = [paper.metric(metric, series.system, place) for place in places]
            rows.append((_said(series.system), None, None, *said))
    marked = tuple(
        (*row[:3], *best[3:]) for row, best in zip(rows, with_best(rows, ours), strict=True)
    )
    return Table(
        f"{metric.replace('@', '')}-{dataset.slug}",
        f"{METRICS[metric]} by structure on {dataset.name}, {SPLIT_NAMES[split]} queries",
        ("system", "seeds", "minutes", *places),
        marked,
        _note(
            describe_queries(dataset, split),
            "Mean ± standard deviation over seeds." if _has_seeds(dataset) else "",
            f"The paper's figures are of its test queries ({SOURCES[metric]})." if paper else "",
        ),
    )


def link_prediction_table(dataset: Dataset, split: Split) -> Table:
    """Link prediction: the mean over a split's edges, asked for from both ends."""
    paper = dataset.paper
    rows: list[Row] = []
    ours: list[int] = []
    metrics = ("hits@3", "mrr", "hits@1", "hits@10")
    for series in dataset.series:
        ours.append(len(rows))
        figures = [series.mean(lambda e, m=m: float(e["link_prediction"][m])) for m in metrics]  # type: ignore[misc]
        rows.append((series.label, *_trained(series), *figures))
        if paper:
            said = [paper.link_prediction(metric, series.system) for metric in metrics]
            rows += [(_said(series.system), None, None, *said)] if any(said) else []
    marked = tuple(
        (*row[:3], *best[3:]) for row, best in zip(rows, with_best(rows, ours), strict=True)
    )
    return Table(
        f"link-prediction-{dataset.slug}",
        f"Link prediction on {dataset.name}, {SPLIT_NAMES[split]} edges",
        ("system", "seeds", "minutes", "H@3", "MRR", "H@1", "H@10"),
        marked,
        _note(
            f"{_asked(dataset)} edges, each asked for from both its ends; the mean is over "
            "edges, not over queries.",
            "Mean ± standard deviation over seeds." if _has_seeds(dataset) else "",
            "The paper's figures are of its test edges (tab:linkpred)." if paper else "",
        ),
    )


def runs_table(runs: Sequence[RunFigures], split: Split) -> Table:
    """Every run: what it is of, how long it was trained, and what came of it."""
    names = dataset_names(runs)
    rows: list[Row] = []
    for run in runs:
        config, found = run.config, run.evaluation
        average = found["average"] if found else {}
        rows.append(
            (
                run.name,
                names[run.fingerprint],
                config.system,
                recipe(config),
                count(config.seed),
                Figure(run.minutes, digits=1),
                count(run.steps),
                count(average["queries"]) if found else None,
                Figure(average["hits@3"]) if found else None,
                Figure(average["mrr"]) if found else None,
                run.problem or ("finished" if run.finished else "unfinished"),
            )
        )
    return Table(
        "runs",
        f"The runs, judged on {SPLIT_NAMES[split]} queries",
        _RUN_COLUMNS,
        tuple(rows),
        "Minutes are those of training, validation included. The model judged is the best on "
        "validation queries. An unfinished run stands with what it has reached so far.",
    )


_RUN_COLUMNS = (
    *("run", "dataset", "system", "preset", "seed", "minutes", "steps"),
    *("queries", "H@3", "MRR", "state"),
)


def describe_queries(dataset: Dataset, split: Split) -> str:
    """In words: how many queries the runs were judged on, and where those come from."""
    kinds = {_kind(run.evaluation, split): None for run in dataset.runs if run.evaluation}
    return " ".join(kinds)


def _kind(evaluation: Any, split: Split) -> str:
    queries, limit = evaluation["average"]["queries"], evaluation.get("limit", 0)
    source = evaluation.get("source", "sampled")
    taken = f"{queries:,} {SPLIT_NAMES[split]} queries"
    chosen = f", at most {limit:,} of each structure" if limit else ""
    origin = "sampled from the graph" if source == "sampled" else f"of {Path(source).name}"
    return f"{taken} {origin}{chosen}."


def _said(system: str) -> str:
    return f"{system}, paper (test)"


def _asked(dataset: Dataset) -> str:
    """How many edges link prediction asked for; an end counts as half."""
    found = (run.evaluation["link_prediction"] for run in dataset.runs if run.evaluation)
    counts = dict.fromkeys(one["queries"] / 2 for one in found)
    return " or ".join(f"{number:,g}" for number in counts)


def _trained(series: Series) -> tuple[Figure, Figure]:
    return count(len(series.runs)), Figure(series.minutes, digits=1)


def _has_seeds(dataset: Dataset) -> bool:
    return any(len(series.runs) > 1 for series in dataset.series)


def _note(*sentences: str) -> str:
    return " ".join(filter(None, sentences))
