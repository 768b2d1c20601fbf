"""How many queries a second one core samples with their answers, and what they look like.

    python benchmarks/sampling.py [DATA] [--seconds S] [--threads N] [--json FILE]

DATA is FB15k-237 ($Q2B_SHARED/data) where it is at hand, else `countries`. The
bars for FB15k-237 are 40,000 a second for 3p and 200,000 for 2i, backward.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
from pathlib import Path

import numpy as np

from query2box.graph.files import atomic_text
from query2box.graph.knowledge_graph import KnowledgeGraph
from query2box.query.skeleton import STRUCTURES
from query2box.workload.comparison import rate
from query2box.workload.plan import DIRECTIONS, Direction
from query2box.workload.sampler import sample_queries

SHARED = Path(os.environ.get("Q2B_SHARED", Path(__file__).parents[2] / "shared")) / "data"


def measure(
    graph: KnowledgeGraph, name: str, direction: Direction, seconds: float, threads: int
) -> dict[str, float]:
    """The best rate of batches of 8,192 queries, and the sizes of their answers."""

    def batch() -> int:
        return len(
            sample_queries(
                graph.adjacency, STRUCTURES[name], 8192, 0, direction=direction, threads=threads
            )
        )

    batch()
    best = rate(batch, seconds)
    drawn = sample_queries(graph.adjacency, STRUCTURES[name], 8192, 0, direction=direction)
    sizes = drawn.easy.counts
    return {
        "queries_per_second": round(best),
        "mean_answers": round(float(sizes.mean()), 1),
        "median_answers": float(np.median(sizes)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    default = SHARED / "FB15k-237"
    parser.add_argument("data", nargs="?", default=default if default.is_dir() else "countries")
    parser.add_argument("--seconds", type=float, default=2.0, help="for each structure")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the results here")
    options = parser.parse_args()
    graph = KnowledgeGraph.load(options.data).train
    results: dict[str, object] = {
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "threads": options.threads,
        "data": graph.name,
    }
    for direction in DIRECTIONS:
        results[direction] = {
            name: measure(graph, name, direction, options.seconds, options.threads)
            for name in STRUCTURES
        }
    text = json.dumps(results, indent=2)
    print(text)
    if options.json:
        with atomic_text(options.json) as out:
            out.write(text + "\n")


if __name__ == "__main__":
    main()
