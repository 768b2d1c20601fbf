"""What a command leaves behind in the terminal; the fixtures `q2b` and `q2b_process` give it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

MAIN = "from query2box.cli import main; main()"


@dataclass(frozen=True)
class Outcome:
    """Exit code, results and messages."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one document a successful command printed."""
        assert self.code == 0, self
        return json.loads(self.out)

    @property
    def complaint(self) -> str:
        """The one line that tells of bad input."""
        assert self.code == 2, self
        assert self.out == ""
        assert self.err.startswith("q2b: ")
        assert self.err.endswith("\n")
        assert self.err.count("\n") == 1
        return self.err.removeprefix("q2b: ").rstrip("\n")


Run: TypeAlias = Callable[..., Outcome]
