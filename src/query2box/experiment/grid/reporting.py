"""The report of an experiment: one of each split, of the runs that are done."""

from __future__ import annotations

from pathlib import Path

from query2box.experiment.grid.file import REPORT, Experiment
from query2box.experiment.grid.runner import Summary
from query2box.experiment.report.writing import write_report


def write_reports(experiment: Experiment, summary: Summary, with_plots: bool = True) -> list[Path]:
    """Write `report/SPLIT` for each split that runs were judged on; gives the folders."""
    found = []
    for split in experiment.grid.splits:
        runs = [cell.folder for cell in summary.cells if split in summary.done.get(cell, {})]
        if runs:
            folder = experiment.out / REPORT / split
            write_report(runs, folder, split, experiment.grid.limit, with_plots)
            found.append(folder)
    return found
