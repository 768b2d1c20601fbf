"""How long exact answers take for the published evaluation queries, and whether they are right.

    python benchmarks/exact_answers.py [--threads N] [--json FILE]

Answers every query of FB15k-237's and NELL995's files ($Q2B_SHARED/data) on the
graph before the split and on the split's own, and compares with the file. The
bar is 10 s for the 60,101 validation queries of FB15k-237 on 2 cores.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from pathlib import Path

import numpy as np

from query2box.graph.files import atomic_text
from query2box.graph.knowledge_graph import SPLITS, KnowledgeGraph, Split
from query2box.workload.denotation import answer_group
from query2box.workload.query_files import read_queries
from query2box.workload.query_set import Ragged

SHARED = Path(os.environ.get("Q2B_SHARED", Path(__file__).parents[2] / "shared")) / "data"

FILES: list[tuple[str, Split]] = [("FB15k-237", "valid"), ("NELL995", "valid"), ("NELL995", "test")]


def same(one: Ragged, other: Ragged) -> int:
    """How many rows are equal."""
    return sum(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def measure(folder: Path, split: Split, threads: int) -> dict[str, object]:
    """Answer all queries of a split's file twice."""
    graph = KnowledgeGraph.load(folder)
    start = time.perf_counter()
    queries = read_queries(folder / f"{split}-queries.jsonl.gz", graph)
    reading = time.perf_counter() - start
    before = graph.up_to(SPLITS[SPLITS.index(split) - 1]).adjacency
    after = graph.up_to(split).adjacency
    for adjacency in (before, after):  # compile, and prepare both graphs
        answer_group(queries.groups[0].take([0]), adjacency, threads)
    seconds: dict[str, float] = {}
    right = 0
    for group in queries.groups:
        start = time.perf_counter()
        found = answer_group(group, after, threads)
        seconds[group.structure] = round(time.perf_counter() - start, 4)
        easy = answer_group(group, before, threads)
        right += min(same(easy, group.easy), same(found.without(easy), group.hard))
    return {
        "queries": len(queries),
        "right": right,
        "reading_seconds": round(reading, 2),
        "seconds": round(sum(seconds.values()), 3),
        "structures": seconds,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the results here")
    options = parser.parse_args()
    if not SHARED.is_dir():
        sys.exit("no datasets here; set Q2B_SHARED to the folder that has data/FB15k-237")
    results: dict[str, object] = {
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "threads": options.threads,
    }
    for dataset, split in FILES:
        results[f"{dataset} {split}"] = measure(SHARED / dataset, split, options.threads)
    text = json.dumps(results, indent=2)
    print(text)
    if options.json:
        with atomic_text(options.json) as out:
            out.write(text + "\n")


if __name__ == "__main__":
    main()
