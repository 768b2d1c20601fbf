"""How long a graph takes to load, and how much memory.

    python benchmarks/load.py [--edges N] [--entities N] [--json FILE]

Makes a TSV of ten million random edges over a million entities in a temporary
folder and loads it in a fresh process; likewise FB15k-237 where it is at hand
($Q2B_SHARED/data/FB15k-237). The bars are 60 s and 2 GB, and 2 s.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from query2box.graph.files import atomic_text

SHARED = Path(os.environ.get("Q2B_SHARED", Path(__file__).parents[2] / "shared"))

# Starting Python and importing numpy is not loading, so the clock starts after.
MEASURE = """
import json, resource, sys, time
from query2box.graph.folder import load_folder
start, cpu_start = time.perf_counter(), time.process_time()
graph = load_folder(sys.argv[1]).graph
seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu_start
loaded = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.perf_counter()
graph.adjacency
print(json.dumps({
    "entities": graph.num_entities,
    "relations": graph.num_relations,
    "edges": graph.num_edges,
    "seconds": round(seconds, 3),
    "cpu_seconds": round(cpu_seconds, 3),
    "peak_mb": loaded // 1024,
    "index_seconds": round(time.perf_counter() - start, 3),
    "index_peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
}))
"""


def make_edges(path: Path, edges: int, entities: int, relations: int = 500, seed: int = 0) -> None:
    """Random edges; every entity has one."""
    rng = np.random.default_rng(seed)
    with atomic_text(path) as out:
        for start in range(0, edges, 1 << 18):
            size = min(1 << 18, edges - start)
            heads = (np.arange(start, start + size) % entities).tolist()
            others = rng.integers(relations, size=size).tolist()
            tails = rng.integers(entities, size=size).tolist()
            out.writelines(
                f"entity/{h}\trelation/{r}\tentity/{t}\n"
                for h, r, t in zip(heads, others, tails, strict=True)
            )


def measure(folder: Path) -> dict[str, float]:
    """Load a folder in a fresh process."""
    command = [sys.executable, "-c", MEASURE, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edges", type=int, default=10_000_000)
    parser.add_argument("--entities", type=int, default=1_000_000)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the results here")
    options = parser.parse_args()
    results: dict[str, object] = {"python": platform.python_version(), "cores": os.cpu_count()}
    with tempfile.TemporaryDirectory() as folder:
        make_edges(Path(folder, "train.tsv"), options.edges, options.entities)
        results["random"] = measure(Path(folder))
    fb15k = SHARED / "data" / "FB15k-237"
    results["FB15k-237"] = measure(fb15k) if fb15k.is_dir() else None
    text = json.dumps(results, indent=2)
    print(text)
    if options.json:
        with atomic_text(options.json) as out:
            out.write(text + "\n")


if __name__ == "__main__":
    main()
