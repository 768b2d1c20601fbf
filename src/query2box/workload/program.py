"""Skeletons as programs for the set machine of `kernels.traversal`."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from query2box.kernels.opcodes import ANCHOR, END, FOREACH, INTERSECT, LOAD, PROJECT, UNION
from query2box.query.nodes import (
    Anchor,
    Intersection,
    Projection,
    Query,
    Union,
    Variable,
    operands_of,
    walk,
)

if TYPE_CHECKING:
    from query2box.kernels.traversal import Program


@lru_cache(maxsize=1024)
def program_of(skeleton: Query) -> Program:
    """The program that answers the queries of a skeleton."""
    from query2box.kernels.traversal import Program, read_only

    compiler = _Compiler()
    compiler.emit(skeleton, frozenset())
    code = np.array(compiler.code, np.int32)
    return Program(read_only(code), compiler.max_depth, compiler.max_loops, len(compiler.variables))


@dataclass
class _Compiler:
    code: list[tuple[int, int]] = field(default_factory=list)
    variables: dict[int, int] = field(default_factory=dict)
    depth: int = 0
    max_depth: int = 0
    loops: int = 0
    max_loops: int = 0

    def emit(self, query: Query, bound: frozenset[int]) -> None:
        """Code that pushes the set of a query; variables of `bound` have a value by then."""
        match query:
            case Anchor(slot):
                self._push(ANCHOR, int(slot))
            case Projection(slot, operand):
                self.emit(operand, bound)
                self.code.append((PROJECT, int(slot)))
            case Union(operands):
                # "There is a value" may be said of each branch by itself.
                self._emit_all(operands, bound)
                self._combine(UNION, len(operands))
            case Intersection(operands):
                self._emit_intersection(operands, bound)
            case Variable(label, definition):
                if label in bound:
                    self._push(LOAD, self.variables[label])
                else:  # no other use can be seen from here
                    self.emit(definition, bound)

    def _emit_intersection(self, operands: tuple[Query, ...], bound: frozenset[int]) -> None:
        """A variable that several operands use takes its values one after the other."""
        shared = _shared(operands, bound)
        # A definition that uses another of these variables is larger than that one's.
        for variable in sorted(shared, key=_size):
            self.emit(variable.definition, bound)
            number = self.variables.setdefault(variable.label, len(self.variables))
            self.code.append((FOREACH, number))
            bound |= {variable.label}
            self.loops += 1
            self.max_loops = max(self.max_loops, self.loops)
        self._emit_all(operands, bound)
        self._combine(INTERSECT, len(operands))
        for variable in sorted(shared, key=_size, reverse=True):
            self.code.append((END, self.variables[variable.label]))
            self.depth -= 1
            self.loops -= 1

    def _emit_all(self, operands: tuple[Query, ...], bound: frozenset[int]) -> None:
        for operand in operands:
            self.emit(operand, bound)

    def _push(self, instruction: int, argument: int) -> None:
        self.code.append((instruction, argument))
        self.depth += 1
        self.max_depth = max(self.max_depth, self.depth)

    def _combine(self, instruction: int, count: int) -> None:
        self.code.append((instruction, count))
        self.depth -= count - 1


def _shared(operands: tuple[Query, ...], bound: frozenset[int]) -> set[Variable]:
    """The variables of which several operands, or their definitions, must see one value."""
    shared: dict[int, Variable] = {}
    while True:
        parts = (*operands, *(variable.definition for variable in shared.values()))
        known = bound | shared.keys()
        uses: Counter[Variable] = Counter()
        for part in parts:
            uses.update(_open_variables(part, known))
        found = {variable.label: variable for variable, count in uses.items() if count > 1}
        if not found:
            return set(shared.values())
        shared |= found


def _open_variables(query: Query, known: frozenset[int]) -> set[Variable]:
    """The variables in a query that have no value yet, those inside definitions left out."""
    if isinstance(query, Variable):
        return set() if query.label in known else {query}
    return set().union(*(_open_variables(operand, known) for operand in operands_of(query)))


def _size(variable: Variable) -> int:
    return sum(1 for _ in walk(variable.definition))
