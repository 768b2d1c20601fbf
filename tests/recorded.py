"""Runs as they were recorded once: reports made of them are compared to files."""

from __future__ import annotations

import json
from pathlib import Path

from families import families
from query2box.experiment.config import resolve
from query2box.experiment.report.datasets import Dataset
from query2box.experiment.report.paper import papers
from query2box.experiment.report.runs import Reliability, RunFigures, figures_of
from query2box.experiment.report.series import series_of

GOLDEN = Path(__file__).parent / "golden" / "report"


def recorded_runs(path: Path = GOLDEN / "runs.json") -> list[RunFigures]:
    """The runs of a file, which notes only what they do not share with their preset."""
    graph = {"name": "FB15k-237", "fingerprint": "0123456789"}
    return [
        figures_of(
            one["name"],
            resolve(one["system"], one["preset"], one["settings"]).to_json() | {"graph": graph},
            one["journal"],
            one["evaluation"],
            reliability=Reliability.of(one["calibration"]),
        )
        for one in json.loads(path.read_text("utf-8"))
    ]


def recorded_dataset(path: Path = GOLDEN / "runs.json", of_the_paper: bool = True) -> Dataset:
    """The runs as if a small graph were FB15k-237."""
    paper = next(paper for paper in papers() if paper.name == "FB15k-237")
    series = series_of(recorded_runs(path))
    return Dataset("FB15k-237", families(), series, paper if of_the_paper else None)
