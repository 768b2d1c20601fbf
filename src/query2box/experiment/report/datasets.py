"""The graphs that runs were trained on, each with its runs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from query2box.bundle import GRAPH
from query2box.experiment.report.paper import Paper, paper_of
from query2box.experiment.report.runs import RunFigures
from query2box.experiment.report.series import Series, series_of
from query2box.graph.folder import load_folder
from query2box.graph.knowledge_graph import KnowledgeGraph
from query2box.query.skeleton import STRUCTURES


@dataclass(frozen=True)
class Dataset:
    """A graph, its judged runs, and what the paper says of it if it is one of the paper's."""

    name: str
    graph: KnowledgeGraph
    series: tuple[Series, ...]
    paper: Paper | None

    @property
    def slug(self) -> str:
        """The name as a part of files' names."""
        return re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-") or "graph"

    @property
    def runs(self) -> tuple[RunFigures, ...]:
        """All judged runs, series after series."""
        return tuple(run for series in self.series for run in series.runs)

    @property
    def structures(self) -> tuple[str, ...]:
        """What the runs were judged on: the paper's structures in its order, then others."""
        found = {name for run in self.runs if run.evaluation for name in run.evaluation["details"]}
        return (*(name for name in STRUCTURES if name in found), *sorted(found - set(STRUCTURES)))


def datasets_of(runs: Sequence[RunFigures]) -> tuple[Dataset, ...]:
    """The graphs of judged runs, in the order the runs came."""
    groups: dict[str, list[RunFigures]] = {}
    for run in runs:
        if run.evaluation is not None:
            groups.setdefault(run.fingerprint, []).append(run)
    names = dataset_names(runs)
    return tuple(_dataset(names[fingerprint], members) for fingerprint, members in groups.items())


def dataset_names(runs: Sequence[RunFigures]) -> dict[str, str]:
    """A name for each graph by its fingerprint; where two share one, a piece of that is added."""
    names = {run.fingerprint: str(run.graph["name"]) or "graph" for run in runs}
    shared = [name for name in names.values() if list(names.values()).count(name) > 1]
    return {
        fingerprint: f"{name} {fingerprint[:6]}" if name in shared else name
        for fingerprint, name in names.items()
    }


def _dataset(name: str, runs: list[RunFigures]) -> Dataset:
    path = runs[0].path
    assert path is not None  # noqa: S101 -- what was judged has a folder
    graph = load_folder(path / GRAPH, name).graph
    return Dataset(name, graph, series_of(runs), paper_of(graph))
