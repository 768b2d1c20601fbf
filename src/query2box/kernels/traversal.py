"""Exact answers by traversal: a machine that runs a query's program over sets of entities.

Every set is an ascending list. What one (entity, relation) leads to is a slice
of the graph and is used where it lies; other sets are built in an arena, each
behind the one below it on the stack, which frees them in the same order.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from query2box.graph.adjacency import Adjacency
from query2box.kernels.bitset import drain, insert
from query2box.kernels.compiled import compiled
from query2box.kernels.opcodes import ANCHOR, FOREACH, INTERSECT, LOAD, PROJECT, UNION

Array = Any  # numba compiles by the concrete dtypes

GALLOP = 16
"""Search, rather than merge, a list that is so many times longer than the other."""


class Edges(NamedTuple):
    """The arrays of an `Adjacency`."""

    entity_groups: Array
    group_relations: Array
    group_objects: Array
    objects: Array


class Program(NamedTuple):
    """A skeleton's instructions and how much room they need."""

    code: Array  # [instructions, 2]
    depth: int  # sets on the stack at a time, domains of loops included
    loops: int  # loops within one another at a time
    variables: int


def edges_of(adjacency: Adjacency) -> Edges:
    """The arrays of an adjacency, read-only, so that one compiled kernel takes them all."""
    return Edges(
        *map(
            read_only,
            (
                adjacency.entity_groups,
                adjacency.group_relations,
                adjacency.group_objects,
                adjacency.objects,
            ),
        )
    )


def read_only(array: Array) -> Array:
    """A contiguous view that cannot be written to."""
    view = np.ascontiguousarray(array).view()
    view.flags.writeable = False
    return view


class Machine(NamedTuple):
    """What running a program needs besides the graph; one a thread."""

    arena: Array  # lists that are no slice of the graph
    bits: Array  # [1 + loops, words]: row 0 serves one instruction, the others a loop each
    summary: Array  # [1 + loops, words of words]
    stack: Array  # [1 + depth, 4]: in the arena?, start, stop, where the arena is free behind it
    frames: Array  # [loops, 2]: next place in the domain, first instruction of the body
    values: Array  # [variables]: what each has now, -1 for none


@compiled
def machine_for(program: Program, num_entities: int) -> Machine:
    """Room to run a program in."""
    words = (num_entities + 63) // 64
    rows = program.loops + 1
    stack = np.zeros((program.depth + 1, 4), np.int64)
    return Machine(
        np.empty((program.depth + 1) * num_entities + 1, np.int32),
        np.zeros((rows, words), np.uint64),
        np.zeros((rows, (words + 63) // 64), np.uint64),
        stack,
        np.empty((program.loops, 2), np.int64),
        np.empty(program.variables, np.int64),
    )


@compiled
def run(
    program: Program, machine: Machine, edges: Edges, entities: Array, relations: Array, budget: int
) -> bool:
    """Run the program for one query; the answers are the set in stack row 1.

    False if shared variables took more than `budget` loops.
    """
    code, stack, frames = program.code, machine.stack, machine.frames
    top = loop = at = 0
    while at < code.shape[0]:
        instruction, argument = code[at, 0], code[at, 1]
        at += 1
        if instruction == ANCHOR:
            top += 1
            _put_one(machine, top, entities[argument])
        elif instruction == PROJECT:
            _project(machine, edges, top, relations[argument])
        elif instruction == INTERSECT:
            top -= argument - 1
            _intersect(machine, edges, top, argument)
        elif instruction == UNION:
            top -= argument - 1
            _unite(machine, edges, top, argument)
        elif instruction == LOAD:
            top += 1
            _put_one(machine, top, machine.values[argument])
        elif instruction == FOREACH:
            frames[loop, 0] = stack[top, 1]
            frames[loop, 1] = at
            loop += 1
            machine.values[argument] = _next_value(machine, edges, top, loop)
        else:  # END: the body's result is on top, the domain below it
            _collect(machine, edges, top, loop)
            top -= 1
            budget -= 1
            if budget < 0:
                _drop(machine, loop)
                return False
            if frames[loop - 1, 0] < stack[top, 2]:
                at = frames[loop - 1, 1]
                machine.values[argument] = _next_value(machine, edges, top, loop)
            else:
                _put_bits(machine, top, loop)
                loop -= 1
    return True


@compiled
def lists(machine: Machine, edges: Edges, row: int) -> Array:
    """The array that a set of the stack lies in."""
    return machine.arena if machine.stack[row, 0] else edges.objects


@compiled
def _put(stack: Array, row: int, in_arena: int, start: int, stop: int) -> None:
    stack[row, 0] = in_arena
    stack[row, 1] = start
    stack[row, 2] = stop
    stack[row, 3] = stop if in_arena else stack[row - 1, 3]


@compiled
def _put_one(machine: Machine, row: int, value: int) -> None:
    """The set of one value, or of none if it is -1."""
    start = machine.stack[row - 1, 3]
    machine.arena[start] = value
    _put(machine.stack, row, 1, start, start + (value >= 0))


@compiled
def _put_bits(machine: Machine, row: int, level: int) -> None:
    """The set that a row of bits has collected."""
    start = machine.stack[row - 1, 3]
    stop = drain(machine.bits[level], machine.summary[level], machine.arena, start)
    _put(machine.stack, row, 1, start, stop)


@compiled
def find_group(edges: Edges, entity: int, relation: int) -> int:
    """The group of (entity, relation), or -1."""
    low, end = edges.entity_groups[entity], edges.entity_groups[entity + 1]
    high = end
    while low < high:
        middle = (low + high) >> 1
        if edges.group_relations[middle] < relation:
            low = middle + 1
        else:
            high = middle
    return low if low < end and edges.group_relations[low] == relation else -1


@compiled
def _project(machine: Machine, edges: Edges, row: int, relation: int) -> None:
    stack, bits, summary = machine.stack, machine.bits[0], machine.summary[0]
    values = lists(machine, edges, row)
    found = first = last = 0
    for i in range(stack[row, 1], stack[row, 2]):
        group = find_group(edges, values[i], relation)
        if group < 0:
            continue
        if found == 1:  # so far one slice was enough
            insert(bits, summary, edges.objects, first, last)
        first, last = edges.group_objects[group], edges.group_objects[group + 1]
        if found:
            insert(bits, summary, edges.objects, first, last)
        found += 1
    if found > 1:
        _put_bits(machine, row, 0)
    else:
        _put(stack, row, 0, first, last)


@compiled
def _unite(machine: Machine, edges: Edges, row: int, count: int) -> None:
    stack = machine.stack
    for i in range(row, row + count):
        insert(
            machine.bits[0], machine.summary[0], lists(machine, edges, i), stack[i, 1], stack[i, 2]
        )
    _put_bits(machine, row, 0)


@compiled
def _intersect(machine: Machine, edges: Edges, row: int, count: int) -> None:
    stack, arena = machine.stack, machine.arena
    end = row + count
    out = stack[end - 1, 3]
    for i in range(row, end):  # the smallest first
        least = i
        for j in range(i + 1, end):
            if stack[j, 2] - stack[j, 1] < stack[least, 2] - stack[least, 1]:
                least = j
        for column in range(3):
            stack[i, column], stack[least, column] = stack[least, column], stack[i, column]
    values, start, stop = lists(machine, edges, row), stack[row, 1], stack[row, 2]
    for i in range(row + 1, end):
        stop = _common(
            values, start, stop, lists(machine, edges, i), stack[i, 1], stack[i, 2], arena, out
        )
        values, start = arena, out
    low = stack[row - 1, 3]
    for i in range(stop - start):
        arena[low + i] = values[start + i]
    _put(stack, row, 1, low, low + stop - start)


@compiled
def _common(
    short: Array, i: int, i_stop: int, long: Array, j: int, j_stop: int, out: Array, k: int
) -> int:
    """List what two lists have in common at out[k:], perhaps over the short one itself."""
    if (i_stop - i) * GALLOP < j_stop - j:
        for s in range(i, i_stop):
            value = short[s]
            high = j_stop
            while j < high:
                middle = (j + high) >> 1
                if long[middle] < value:
                    j = middle + 1
                else:
                    high = middle
            if j == j_stop:
                break
            if long[j] == value:
                out[k] = value
                k += 1
        return k
    while i < i_stop and j < j_stop:
        a, b = short[i], long[j]
        out[k] = a
        k += a == b
        i += a <= b
        j += b <= a
    return k


@compiled
def _next_value(machine: Machine, edges: Edges, row: int, loop: int) -> int:
    """The next value of a loop's domain, -1 if it has none at all."""
    place = machine.frames[loop - 1, 0]
    machine.frames[loop - 1, 0] = place + 1
    return lists(machine, edges, row)[place] if place < machine.stack[row, 2] else -1


@compiled
def _collect(machine: Machine, edges: Edges, row: int, loop: int) -> None:
    """Add a set to what a loop has found so far."""
    insert(
        machine.bits[loop],
        machine.summary[loop],
        lists(machine, edges, row),
        machine.stack[row, 1],
        machine.stack[row, 2],
    )


@compiled
def _drop(machine: Machine, loop: int) -> None:
    """Empty the bits of all open loops."""
    for level in range(1, loop + 1):
        machine.bits[level, :] = 0
        machine.summary[level, :] = 0


@compiled
def answer_rows(
    program: Program, edges: Edges, entities: Array, relations: Array, budget: int
) -> tuple[Array, Array]:
    """The number of answers of each query, -1 for one over budget, and the answers, packed."""
    machine = machine_for(program, edges.entity_groups.shape[0] - 1)
    counts = np.empty(entities.shape[0], np.int64)
    answers = np.empty(1024, np.int32)
    used = 0
    for row in range(entities.shape[0]):
        if run(program, machine, edges, entities[row], relations[row], budget):
            answers, stop = append(answers, used, machine, edges)
            counts[row] = stop - used
            used = stop
        else:
            counts[row] = -1
    return counts, answers[:used]


@compiled
def append(answers: Array, used: int, machine: Machine, edges: Edges) -> tuple[Array, int]:
    """Write the machine's result behind the first `used` answers, in a larger array if needed."""
    values, start, stop = lists(machine, edges, 1), machine.stack[1, 1], machine.stack[1, 2]
    end = used + stop - start
    if end > answers.shape[0]:
        larger = np.empty(max(end, 2 * answers.shape[0]), np.int32)
        larger[:used] = answers[:used]
        answers = larger
    answers[used:end] = values[start:stop]
    return answers, end
