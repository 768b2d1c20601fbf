"""Datasets and queries in figures.

Query2box, tab:meta_kg, tab:meta_query and tab:query_num_answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from query2box.experiment.report.datasets import Dataset
from query2box.experiment.report.quality import SPLIT_NAMES, describe_queries
from query2box.experiment.report.tables import Figure, Row, Table, count
from query2box.graph.knowledge_graph import SPLITS, Split


def graph_table(datasets: Sequence[Dataset]) -> Table:
    """Entities, relations and edges of each graph."""
    rows: list[Row] = []
    for dataset in datasets:
        graph = dataset.graph
        edges = [len(graph.edges_of(split)) for split in SPLITS]
        sizes = (graph.num_entities, graph.num_relations, *edges, sum(edges))
        rows.append((dataset.name, *map(count, sizes)))
        if paper := dataset.paper:
            said = [paper.edges[split] for split in SPLITS]
            sizes = (paper.said["entities"], paper.said["relations"], *said, sum(said))
            rows.append((f"{paper.name}, paper", *map(count, sizes)))
    edge_columns = (f"{SPLIT_NAMES[split]} edges" for split in SPLITS)
    return Table(
        "datasets",
        "The graphs",
        ("dataset", "entities", "relations", *edge_columns, "all edges"),
        tuple(rows),
        "Inverse relations and inverse edges are not counted. The paper's: tab:meta_kg.",
    )


def query_table(dataset: Dataset, split: Split) -> Table:
    """How many queries the runs were judged on, and how many answers those have."""
    structures, paper = dataset.structures, dataset.paper
    evaluation: Any = max(
        (run.evaluation for run in dataset.runs if run.evaluation),
        key=lambda found: int(found["average"]["queries"]),
    )

    def figures(part: str, key: str, digits: int) -> list[Figure | None]:
        rows = [evaluation[part].get(name) for name in structures]
        return [Figure(row[key], digits=digits) if row else None for row in rows]

    rows: list[Row] = [("queries", *figures("structures", "queries", 0))]
    if paper:
        label = f"queries, paper ({SPLIT_NAMES[split]})"
        rows.append((label, *(paper.queries(split, name) for name in structures)))
    rows.append(("answers", *figures("details", "answers", 1)))
    if paper:
        rows.append(("answers, paper (test)", *(paper.answers(name) for name in structures)))
    rows.append(("hard answers", *figures("details", "hard", 1)))
    sentences = [
        describe_queries(dataset, split),
        "Answers are means over queries; hard ones need a missing edge.",
    ]
    if paper:
        sentences.append("The paper's: tab:meta_query and tab:query_num_answer.")
    return Table(
        f"queries-{dataset.slug}",
        f"Queries by structure on {dataset.name}, {SPLIT_NAMES[split]}",
        ("", *structures),
        tuple(rows),
        " ".join(sentences),
    )
