"""Exact answers by traversal: a machine that runs a query's program over sets of entities.

Every set is an ascending list. What one (entity, relation) leads to is a slice
of the graph and is used where it lies; other sets are built in an arena, each
behind the one below it on the stack, which frees them in the same order.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from query2box.graph.adjacency import Adjacency
from query2box.kernels.bitset import WORDS, drain, insert, insert_slices
from query2box.kernels.compiled import compiled
from query2box.kernels.opcodes import ANCHOR, FOREACH, INTERSECT, LOAD, PROJECT, UNION

Array = Any  # numba compiles by the concrete dtypes

GALLOP = 16
"""Search, rather than merge, a list that is so many times longer than the other."""


class Edges(NamedTuple):
    """The arrays of an `Adjacency`, and a word for each entity that says what it may have."""

    entity_groups: Array
    group_relations: Array
    group_objects: Array
    objects: Array
    signatures: Array  # [N]: the bits of an entity's relations, see `_signature`


class Program(NamedTuple):
    """A skeleton's instructions and how much room they need."""

    code: Array  # [instructions, 2]
    depth: int  # sets on the stack at a time, domains of loops included
    loops: int  # loops within one another at a time
    variables: int


@lru_cache(maxsize=4)
def edges_of(adjacency: Adjacency) -> Edges:
    """The arrays of an adjacency, read-only, so that one compiled kernel takes them all."""
    entity_groups, group_relations = adjacency.entity_groups, adjacency.group_relations
    signatures = np.zeros(adjacency.num_entities, np.uint64)
    _sign(entity_groups, group_relations, signatures)
    arrays = (entity_groups, group_relations, adjacency.group_objects, adjacency.objects)
    return Edges(*map(read_only, (*arrays, signatures)))


def read_only(array: Array) -> Array:
    """A contiguous view that cannot be written to."""
    view = np.ascontiguousarray(array).view()
    view.flags.writeable = False
    return view


@compiled
def _signature(relation: int) -> Any:
    """One bit of a word; few relations share theirs."""
    return np.uint64(1) << ((np.uint64(relation) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(58))


@compiled
def _sign(entity_groups: Array, group_relations: Array, signatures: Array) -> None:
    for entity in range(signatures.shape[0]):
        for group in range(entity_groups[entity], entity_groups[entity + 1]):
            signatures[entity] |= _signature(group_relations[group])


class Machine(NamedTuple):
    """What running a program needs besides the graph; one a thread."""

    arena: Array  # lists that are no slice of the graph
    bits: Array  # [1 + loops, words]: row 0 serves one instruction, the others a loop each
    marks: Array  # [1 + loops, marks]
    stack: Array  # [1 + depth, 4]: in the arena?, start, stop, where the arena is free behind it
    frames: Array  # [loops, 2]: next place in the domain, first instruction of the body
    values: Array  # [variables]: what each has now, -1 for none


@compiled
def machine_for(program: Program, num_entities: int) -> Machine:
    """Room to run a program in."""
    marks = num_entities // (64 * WORDS) + 1
    rows = program.loops + 1
    stack = np.zeros((program.depth + 1, 4), np.int64)
    return Machine(
        np.empty((program.depth + 1) * num_entities + 1, np.int32),
        np.zeros((rows, WORDS * marks), np.uint64),
        np.zeros((rows, marks), np.uint8),
        stack,
        np.empty((program.loops, 2), np.int64),
        np.empty(program.variables, np.int64),
    )


@compiled
def run(
    program: Program, machine: Machine, edges: Edges, entities: Array, relations: Array, budget: int
) -> bool:
    """Run the program for one query; the answers are the set in stack row 1.

    False if loops over the values of shared variables made lists of more than `budget`
    entities altogether.
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
            if budget < 0:
                _drop(machine, loop)
                return False
            if frames[loop - 1, 0] < stack[top, 2]:
                at = frames[loop - 1, 1]
                machine.values[argument] = _next_value(machine, edges, top, loop)
            else:
                _put_bits(machine, top, loop)
                loop -= 1
        if instruction <= LOAD:
            budget -= 1 + stack[top, 2] - stack[top, 1]
    return True


@compiled
def lists(machine: Machine, edges: Edges, row: int) -> Array:
    """The array that a set of the stack lies in."""
    return machine.arena if machine.stack[row, 0] else edges.objects


@compiled
def _copy(source: Array, start: int, stop: int, out: Array, at: int) -> None:
    """Copy a list, perhaps towards the front of its own array."""
    for i in range(stop - start):
        out[at + i] = source[start + i]


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
    stop = drain(machine.bits[level], machine.marks[level], machine.arena, start)
    _put(machine.stack, row, 1, start, stop)


@compiled
def _project(machine: Machine, edges: Edges, row: int, relation: int) -> None:
    stack, arena = machine.stack, machine.arena
    values, base = lists(machine, edges, row), stack[row, 3]
    # Three short loops rather than one: reads from memory overlap within each.
    end = _may_have(edges.signatures, relation, values, stack[row, 1], stack[row, 2], arena, base)
    end = _find_groups(edges.entity_groups, edges.group_relations, relation, arena, base, end)
    if end > base + 1:
        insert_slices(
            machine.bits[0],
            machine.marks[0],
            edges.objects,
            edges.group_objects,
            arena,
            base,
            end,
        )
        _put_bits(machine, row, 0)
    elif end > base:
        group = arena[base]
        _put(stack, row, 0, edges.group_objects[group], edges.group_objects[group + 1])
    else:
        _put(stack, row, 0, 0, 0)


@compiled
def _may_have(
    signatures: Array, relation: int, values: Array, start: int, stop: int, out: Array, at: int
) -> int:
    """List those of values[start:stop] at out[at:] that may have the relation."""
    signature = _signature(relation)
    for i in range(start, stop):
        entity = values[i]
        out[at] = entity
        at += signatures[entity] & signature != 0
    return at


@compiled
def _find_groups(
    entity_groups: Array, group_relations: Array, relation: int, out: Array, start: int, stop: int
) -> int:
    """Replace the entities of out[start:stop] by their groups of the relation."""
    at = start
    for i in range(start, stop):
        entity = out[i]
        low, high = entity_groups[entity], entity_groups[entity + 1]
        while high - low > 1:
            middle = (low + high) >> 1
            if group_relations[middle] <= relation:
                low = middle
            else:
                high = middle
        out[at] = low
        at += low < high and group_relations[low] == relation
    return at


@compiled
def _unite(machine: Machine, edges: Edges, row: int, count: int) -> None:
    stack = machine.stack
    for i in range(row, row + count):
        insert(
            machine.bits[0], machine.marks[0], lists(machine, edges, i), stack[i, 1], stack[i, 2]
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
    _copy(values, start, stop, arena, low)
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
        machine.marks[loop],
        lists(machine, edges, row),
        machine.stack[row, 1],
        machine.stack[row, 2],
    )


@compiled
def _drop(machine: Machine, loop: int) -> None:
    """Empty the bits of all open loops."""
    for level in range(1, loop + 1):
        machine.bits[level, :] = 0
        machine.marks[level, :] = 0


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
        _copy(answers, 0, used, larger, 0)
        answers = larger
    _copy(values, start, stop, answers, used)
    return answers, end
