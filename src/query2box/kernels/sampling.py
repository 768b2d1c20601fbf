"""The paper's query sampler in one pass: walk, filter, answer (Query2box, appendix D).

A skeleton is read as a graph pattern: a register for each entity of the pattern
(the target, the anchors, what lies between) and a step for each projection, in
an order in which one end of it is known.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from query2box.kernels.compiled import compiled
from query2box.kernels.random import below, generator
from query2box.kernels.traversal import Edges, Program, append, machine_for, run

Array = Any  # numba compiles by the concrete dtypes

START, BACKWARD, FORWARD, LINK = range(4)
"""Kinds of steps: anywhere, to a source, to a destination, between two ends known already."""


class Plan(NamedTuple):
    """How to draw queries of one skeleton; slots count entities first, then relations."""

    steps: Array  # [steps, 4]: kind, known register, other register, slot of the relation
    target: int  # the register of the query's answer
    registers: int
    relations: int
    anchors: Array  # [anchors]: the register that fills each entity slot
    paths: Array  # [pairs, 2]: slots of relations that follow each other on a path
    branch_slots: Array  # the slots of each operand that has a sibling of its shape, packed
    branch_offsets: Array
    runs: Array  # [runs, 2]: branches of one shape below one node, inner nodes first


@compiled
def sample_rows(
    plan: Plan,
    program: Program,
    edges: Edges,
    starts: Array,
    seed: int,
    chunk: int,
    size: int,
    max_answers: int,
    max_tries: int,
    budget: int,
) -> tuple[Array, Array, Array, Array, Array]:
    """A chunk of queries: entities, relations, targets, numbers of answers, answers.

    Fewer than `size` if one of them could not be found in `max_tries` tries.
    """
    state = generator(seed, chunk)
    machine = machine_for(program, edges.entity_groups.shape[0] - 1)
    registers = np.empty(plan.registers, np.int32)
    num_anchors = plan.anchors.shape[0]
    slots = np.empty((size, num_anchors + plan.relations), np.int32)
    targets = np.empty(size, np.int32)
    counts = np.empty(size, np.int64)
    answers = np.empty(1024, np.int32)
    used = row = tries = 0
    while row < size and tries < max_tries:
        tries += 1
        query = slots[row]
        if not _draw(plan, edges, starts, state, registers, query) or _degenerate(plan, query):
            continue
        if not run(program, machine, edges, query[:num_anchors], query[num_anchors:], budget):
            continue
        counts[row] = machine.stack[1, 2] - machine.stack[1, 1]
        if counts[row] > max_answers:
            continue
        answers, used = append(answers, used, machine, edges)
        targets[row] = registers[plan.target]
        row += 1
        tries = 0
    return (
        slots[:row, :num_anchors].copy(),
        slots[:row, num_anchors:].copy(),
        targets[:row],
        counts[:row],
        answers[:used],
    )


@compiled
def _draw(
    plan: Plan, edges: Edges, starts: Array, state: Array, registers: Array, query: Array
) -> bool:
    """Fill the slots by a random walk; False where it has no way on."""
    for i in range(plan.steps.shape[0]):
        kind, known, other, slot = plan.steps[i]
        entity = registers[known]
        if kind == START:
            registers[known] = starts[below(state, starts.shape[0])]
        elif kind == LINK:
            relation = _link(edges, state, entity, registers[other])
            if relation < 0:
                return False
            query[slot] = relation
        else:
            first = edges.entity_groups[entity]
            group = first + below(state, edges.entity_groups[entity + 1] - first)
            first = edges.group_objects[group]
            at = first + below(state, edges.group_objects[group + 1] - first)
            registers[other] = edges.objects[at]
            query[slot] = edges.group_relations[group] ^ (kind == BACKWARD)
    for slot in range(plan.anchors.shape[0]):
        query[slot] = registers[plan.anchors[slot]]
    return True


@compiled
def _link(edges: Edges, state: Array, source: int, destination: int) -> int:
    """A relation from one entity to another, each as likely, or -1."""
    found, chosen = 0, -1
    for group in range(edges.entity_groups[source], edges.entity_groups[source + 1]):
        low, end = edges.group_objects[group], edges.group_objects[group + 1]
        high = end
        while low < high:
            middle = (low + high) >> 1
            if edges.objects[middle] < destination:
                low = middle + 1
            else:
                high = middle
        if low < end and edges.objects[low] == destination:
            found += 1
            if below(state, found) == 0:
                chosen = edges.group_relations[group]
    return chosen


@compiled
def _degenerate(plan: Plan, query: Array) -> bool:
    """Whether a relation undoes the one before it, or two branches are the same.

    Branches of one shape are put in order on the way, which makes two ways to
    write a query one.
    """
    for i in range(plan.paths.shape[0]):
        if query[plan.paths[i, 0]] == query[plan.paths[i, 1]] ^ 1:
            return True
    for i in range(plan.runs.shape[0]):
        first, end = plan.runs[i]
        for branch in range(first + 1, end):
            at = branch
            while at > first:
                order = _swap_if_less(plan, query, at)
                if order == 0:
                    return True
                if order > 0:
                    break
                at -= 1
    return False


@compiled
def _swap_if_less(plan: Plan, query: Array, branch: int) -> int:
    """Compare a branch with the one before it (-1, 0 or 1); the lesser one comes first."""
    here, before = plan.branch_offsets[branch], plan.branch_offsets[branch - 1]
    length = plan.branch_offsets[branch + 1] - here
    for i in range(length):
        a = query[plan.branch_slots[here + i]]
        b = query[plan.branch_slots[before + i]]
        if a == b:
            continue
        if a > b:
            return 1
        for j in range(i, length):
            one, other = plan.branch_slots[here + j], plan.branch_slots[before + j]
            query[one], query[other] = query[other], query[one]
        return -1
    return 0
