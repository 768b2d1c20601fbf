"""The process of one cell of `q2b experiment`; `python -m query2box.cli.cell TASK` starts it."""

from __future__ import annotations

import sys

from query2box.experiment.grid.worker import work
from query2box.library import calibrate

if __name__ == "__main__":
    work(sys.argv[1], calibrate)
