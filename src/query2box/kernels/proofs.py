"""The easiest proofs of answers: a machine that runs a query's program over sets with costs.

A proof gives every variable of a query a value, and an edge of the graph to
every projection. It costs as many of these edges as are missing from a smaller
graph; an edge that serves two projections counts twice.

The programs are those of `kernels.traversal`. Sets are lists of entities in no
order, each with the least cost at which it is reached, one behind the other in
an arena.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from query2box.kernels.compiled import compiled
from query2box.kernels.opcodes import ANCHOR, FOREACH, INTERSECT, LOAD, PROJECT, UNION
from query2box.kernels.traversal import Program

Array = Any  # numba compiles by the concrete dtypes

NOTHING = np.int16(-1)
"""The cost of what has no proof."""


class PricedEdges(NamedTuple):
    """The arrays of an `Adjacency`, and what each edge costs."""

    entity_groups: Array
    group_relations: Array
    group_objects: Array
    objects: Array
    costs: Array  # [len(objects)]


class Machine(NamedTuple):
    """What running a program needs besides the graph; one a thread."""

    entities: Array  # the arena
    costs: Array  # of the entities in the arena
    least: Array  # [1 + loops, N]: row 0 serves one instruction, the others a loop each
    listed: Array  # [1 + loops, N]: the entities that have a cost in `least`
    counts: Array  # [1 + loops]: how many those are
    times: Array  # [N]: how many operands of an intersection an entity is in
    stack: Array  # [1 + depth, 2]: start and stop in the arena
    frames: Array  # [loops, 3]: next place in the domain, first instruction, cost of the value
    values: Array  # [variables]: what each has now, -1 for none


@compiled
def _machine_for(program: Program, num_entities: int) -> Machine:
    rows = program.loops + 1
    size = (program.depth + 1) * num_entities + 1
    return Machine(
        np.empty(size, np.int32),
        np.empty(size, np.int16),
        np.full((rows, num_entities), NOTHING),
        np.empty((rows, num_entities), np.int32),
        np.zeros(rows, np.int64),
        np.zeros(num_entities, np.int16),
        np.zeros((program.depth + 1, 2), np.int64),
        np.empty((program.loops, 3), np.int64),
        np.empty(program.variables, np.int64),
    )


@compiled
def price_rows(
    program: Program,
    edges: PricedEdges,
    entities: Array,  # [B, anchors]
    relations: Array,  # [B, projections]
    offsets: Array,  # [B + 1]
    answers: Array,  # query q has answers[offsets[q] : offsets[q + 1]]
    budget: int,
    out: Array,  # [len(answers)], out: the cost of each answer's easiest proof, or NOTHING
) -> bool:
    """Price the answers of each query; False if one of them took more than the budget."""
    machine = _machine_for(program, edges.entity_groups.shape[0] - 1)
    for row in range(entities.shape[0]):
        if not _run(program, machine, edges, entities[row], relations[row], budget):
            return False
        _gather_row(machine, 1, 0, 0)
        for i in range(offsets[row], offsets[row + 1]):
            out[i] = machine.least[0, answers[i]]
        _put_gathered(machine, 1, 0)
    return True


@compiled
def _run(
    program: Program,
    machine: Machine,
    edges: PricedEdges,
    entities: Array,
    relations: Array,
    budget: int,
) -> bool:
    """Run the program for one query; the answers are the set in stack row 1."""
    code, stack, frames = program.code, machine.stack, machine.frames
    top = loop = at = 0
    while at < code.shape[0]:
        instruction, argument = code[at, 0], code[at, 1]
        at += 1
        if instruction == ANCHOR:
            top += 1
            _put_one(machine, top, entities[argument])
        elif instruction == LOAD:
            top += 1
            _put_one(machine, top, machine.values[argument])
        elif instruction == PROJECT:
            _project(machine, edges, top, relations[argument])
        elif instruction == INTERSECT:
            top -= argument - 1
            _intersect(machine, top, argument)
        elif instruction == UNION:
            top -= argument - 1
            _unite(machine, top, argument)
        elif instruction == FOREACH:
            # First without a value: a branch of a union may do without and spare its cost.
            frames[loop, 0] = stack[top, 0]
            frames[loop, 1] = at
            frames[loop, 2] = 0
            machine.values[argument] = -1
            loop += 1
        else:  # END: the body's result is on top, the domain below it
            _gather_row(machine, top, loop, frames[loop - 1, 2])
            top -= 1
            if budget < 0:
                return False
            place = frames[loop - 1, 0]
            if place < stack[top, 1]:
                machine.values[argument] = machine.entities[place]
                frames[loop - 1, 2] = machine.costs[place]
                frames[loop - 1, 0] = place + 1
                at = frames[loop - 1, 1]
            else:
                _put_gathered(machine, top, loop)
                loop -= 1
        if instruction <= LOAD:
            budget -= 1 + stack[top, 1] - stack[top, 0]
    return True


@compiled
def _put_one(machine: Machine, row: int, value: int) -> None:
    """The set of one value, which costs nothing, or of none if it is -1."""
    start = machine.stack[row - 1, 1]
    machine.entities[start] = value
    machine.costs[start] = 0
    machine.stack[row, 0] = start
    machine.stack[row, 1] = start + (value >= 0)


@compiled
def _gather(machine: Machine, level: int, entity: int, cost: int) -> None:
    """Note that an entity can be reached at a cost."""
    known = machine.least[level, entity]
    if known == NOTHING:
        machine.listed[level, machine.counts[level]] = entity
        machine.counts[level] += 1
        machine.least[level, entity] = cost
    elif cost < known:
        machine.least[level, entity] = cost


@compiled
def _gather_row(machine: Machine, row: int, level: int, more: int) -> None:
    """Note all entities of a set, at their cost and some more."""
    for i in range(machine.stack[row, 0], machine.stack[row, 1]):
        _gather(machine, level, machine.entities[i], machine.costs[i] + more)


@compiled
def _put_gathered(machine: Machine, row: int, level: int) -> None:
    """The set of what was gathered."""
    at = machine.stack[row - 1, 1]
    machine.stack[row, 0] = at
    for i in range(machine.counts[level]):
        entity = machine.listed[level, i]
        machine.entities[at] = entity
        machine.costs[at] = machine.least[level, entity]
        machine.least[level, entity] = NOTHING
        at += 1
    machine.counts[level] = 0
    machine.stack[row, 1] = at


@compiled
def _project(machine: Machine, edges: PricedEdges, row: int, relation: int) -> None:
    for i in range(machine.stack[row, 0], machine.stack[row, 1]):
        group = _find_group(edges, machine.entities[i], relation)
        if group >= 0:
            cost = machine.costs[i]
            for j in range(edges.group_objects[group], edges.group_objects[group + 1]):
                _gather(machine, 0, edges.objects[j], cost + edges.costs[j])
    _put_gathered(machine, row, 0)


@compiled
def _find_group(edges: PricedEdges, entity: int, relation: int) -> int:
    """The group of (entity, relation), -1 where there is none."""
    low, high = edges.entity_groups[entity], edges.entity_groups[entity + 1]
    while high - low > 1:
        middle = (low + high) >> 1
        if edges.group_relations[middle] <= relation:
            low = middle
        else:
            high = middle
    return low if low < high and edges.group_relations[low] == relation else -1


@compiled
def _unite(machine: Machine, row: int, count: int) -> None:
    """What is in any of the sets from a row on, at its least cost."""
    for i in range(row, row + count):
        _gather_row(machine, i, 0, 0)
    _put_gathered(machine, row, 0)


@compiled
def _intersect(machine: Machine, row: int, count: int) -> None:
    """What is in all of the sets from a row on, at the sum of its costs."""
    stack, times, least = machine.stack, machine.times, machine.least[0]
    _gather_row(machine, row, 0, 0)
    for i in range(1, count):
        for j in range(stack[row + i, 0], stack[row + i, 1]):
            entity = machine.entities[j]
            if least[entity] != NOTHING and times[entity] == i - 1:
                times[entity] = i
                least[entity] += machine.costs[j]
    kept = 0
    for i in range(machine.counts[0]):
        entity = machine.listed[0, i]
        if times[entity] == count - 1:
            machine.listed[0, kept] = entity
            kept += 1
        else:
            least[entity] = NOTHING
        times[entity] = 0
    machine.counts[0] = kept
    _put_gathered(machine, row, 0)
