"""What every question must keep to: a bounded size, and a target to look for."""

from __future__ import annotations

from query2box.errors import IllegalQueryError
from query2box.query.nodes import Anchor, Projection, Query, Variable, operands_of, walk

MAX_NODES = 4096
"""A shared variable is written at each use, so nested sharing doubles a query's size."""

MAX_DEPTH = 64
"""Nodes below nodes; what reads queries recurses once a level."""

MAX_SHARED = 16
"""Shared variables that one conjunctive question may have."""


def measure(query: Query) -> tuple[int, int]:
    """How many nodes a query has, and how many of them lie below each other at most."""
    below = [measure(operand) for operand in operands_of(query)]
    return 1 + sum(nodes for nodes, _ in below), 1 + max((depth for _, depth in below), default=0)


def check_size(query: Query) -> None:
    """Refuse a query that is larger or deeper than anybody would ask."""
    count = 0
    pending = [(query, 1)]
    while pending:
        node, depth = pending.pop()
        count += 1
        if count > MAX_NODES or depth > MAX_DEPTH:
            raise too_large()
        pending.extend((operand, depth + 1) for operand in operands_of(node))


def too_large() -> IllegalQueryError:
    """The complaint about a query's size."""
    return IllegalQueryError(
        f"the question has more than {MAX_NODES:,} nodes or is nested over {MAX_DEPTH} deep"
    )


def constant_target(anchor: Anchor) -> IllegalQueryError:
    """The complaint about a target that is known already."""
    return IllegalQueryError(f"the target {anchor.entity!r} is a constant")


def check_legal(query: Query) -> None:
    """Refuse a query, in canonical form, that no formula says.

    Only a projection may lead away from a constant or a shared variable:
    elsewhere a constant would be the target, and a variable its own ancestor.
    """
    check_size(query)
    ends = [query]
    for node in walk(query):
        ends += () if isinstance(node, Projection) else operands_of(node)
    for end in ends:
        if isinstance(end, Anchor):
            raise constant_target(end)
        if isinstance(end, Variable):
            raise IllegalQueryError(f"the shared variable {end.label} is not below a projection")
