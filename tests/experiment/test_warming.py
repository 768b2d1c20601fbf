"""After warming up nothing is left to compile."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from query2box.experiment.config import resolve
from query2box.experiment.warming import warm_up

CODE = """
import sys
from families import TINY, families
from query2box.experiment import run as runs
from query2box.experiment.warming import warm_up

def compiled():
    kernels = [m for name, m in sys.modules.items() if name.startswith("query2box.kernels.")]
    loops = [loop for m in kernels for loop in vars(m).values() if hasattr(loop, "py_func")]
    return {(loop.py_func.__name__, str(s)) for loop in loops for s in loop.signatures}

before = []
def watched(config, threads):
    warm_up(config, threads)
    before.append(compiled())

runs.warm_up = watched
runs.train(families(held_out=6), sys.argv[1], settings=TINY)
assert any("box_loss_kernel" in name for name, _ in before[0])
assert any("ranks_kernel" in name for name, _ in before[0])
print(*sorted(compiled() - before[0]), sep="\\n")
"""


def test_a_run_compiles_nothing_after_it(tmp_path: Path) -> None:
    found = subprocess.run(
        [sys.executable, "-c", CODE, str(tmp_path / "run")],
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    assert found.stdout.strip() == ""


@pytest.mark.parametrize("system", ["query2box", "gqe", "transe", "q2b-sharedoffset"])
@pytest.mark.parametrize("preset", ["fast", "paper"])
def test_every_system_warms_up(system: str, preset: str) -> None:
    warm_up(resolve(system, preset, {"structures": "i(p(e),p(p(e)))"}), threads=1)
