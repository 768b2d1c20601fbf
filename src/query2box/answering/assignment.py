"""The best values of bound variables, one assignment after the other, the best first.

Every variable but the first has a table that rates its values against those of
a variable before it, its parent; further tables rate other pairs. Ratings add up
and are never above 0. The search is A*: what is still open is bounded by the best
that each branch could do, which is exact where no variable is shared.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]

MAX_STEPS = 20_000
"""Partial assignments that are looked at."""


@dataclass
class Problem:
    """Variables 0, 1, ... and how good their values are, by themselves and in pairs."""

    own: list[FloatArray]
    """[values] of each variable: how good each value is by itself."""
    parents: list[int]
    """The parent of each variable, which has a lower number; the first has none."""
    tables: list[FloatArray]
    """[values, values of the parent] of each variable; the first has none."""
    others: dict[tuple[int, int], FloatArray] = field(default_factory=dict)
    """[values, values] of further pairs (higher number, lower number)."""


Check: TypeAlias = Callable[[], None]
"""What long work calls again and again; it may raise to end it."""


def go_on() -> None:
    """Never end it."""


def assignments(problem: Problem, check: Check = go_on) -> Iterator[tuple[float, tuple[int, ...]]]:
    """Ratings and places of values, the best first.

    After `MAX_STEPS` there are no more; but one there always is.
    """
    below, best = _messages(problem)

    def bounds(bound: float, places: tuple[int, ...]) -> FloatArray:
        """What each value of the next variable leads to, at best."""
        variable = len(places)
        beside = places[problem.parents[variable]]
        found = problem.tables[variable][:, beside] + below[variable]
        for (higher, lower), table in problem.others.items():
            if higher == variable:
                found = found + table[:, places[lower]]
        found += bound - best[variable][beside]
        return found

    heap: list[tuple[float, tuple[int, ...]]] = []
    for place, bound in enumerate(below[0].tolist()):
        heapq.heappush(heap, (-bound, (place,)))
    complete = 0
    for _ in range(MAX_STEPS):
        if not heap:
            return
        check()
        cost, places = heapq.heappop(heap)
        if len(places) == len(problem.own):
            complete += 1
            yield -cost, places
            continue
        for place, bound in enumerate(bounds(-cost, places).tolist()):
            heapq.heappush(heap, (-bound, (*places, place)))
    if not complete:
        cost, places = heap[0]
        while len(places) < len(problem.own):
            found = bounds(-cost, places)
            cost, places = -float(found.max()), (*places, int(found.argmax()))
        yield -cost, places


def _messages(problem: Problem) -> tuple[list[FloatArray], list[FloatArray]]:
    """How good each value is together with the best values of what hangs below it.

    And, for each variable but the first, the best it can do for each value of its parent.
    """
    below = [np.array(own, np.float64) for own in problem.own]
    best: list[FloatArray] = [np.zeros(0)] * len(below)
    for variable in range(len(below) - 1, 0, -1):
        best[variable] = (problem.tables[variable] + below[variable][:, None]).max(0)
        below[problem.parents[variable]] += best[variable]
    return below, best
