"""`q2b index`."""

from __future__ import annotations

import time
from pathlib import Path

import typer

from query2box.cli.output import JSON_OPTION, print_json, stderr


def index(
    run: Path = typer.Argument(help="A run folder."),
    cells: int = typer.Option(0, "--cells", min=0, help="How many; 0: the square root of all."),
    seed: int = typer.Option(0, "--seed", min=0, help="What randomness starts from."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Put a run's entities into cells, for graphs too large to scan at every question.

    Example: q2b index runs/large
    """
    from query2box.answering.index import CellIndex
    from query2box.bundle import Bundle

    bundle = Bundle.load(run)
    bundle.check()
    points = bundle.model.points.detach().numpy()
    began = time.perf_counter()
    made = CellIndex.build(points, cells, seed)
    made.save(run)
    seconds = time.perf_counter() - began
    if as_json:
        print_json({"run": str(run), "cells": len(made.radii), "seconds": seconds})
    else:
        stderr().print(f"{len(points):,} entities in {len(made.radii):,} cells, {seconds:,.1f} s")
