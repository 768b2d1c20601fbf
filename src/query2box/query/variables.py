"""Shared variables in canonical form: equal questions carry equal labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from query2box.errors import IllegalQueryError
from query2box.query.nodes import (
    Anchor,
    Query,
    Union,
    Variable,
    operands_of,
    rebuild,
    sort_key,
    walk,
)

MAX_NODES = 4096
"""A definition is written at each use, so nested sharing doubles a query's size."""


def check_size(query: Query) -> None:
    """Refuse a query of more nodes than anybody would ask."""
    for count, _ in enumerate(walk(query), start=1):
        if count > MAX_NODES:
            raise IllegalQueryError(f"the question has more than {MAX_NODES:,} nodes")


def canonical(query: Query) -> Query:
    """The query with variables of one use written out, and the others numbered from 1.

    Which number a variable gets depends on its place in the query alone: places
    are compared by the whole query as seen from them, and where two stay alike
    one of them is singled out and the comparison repeated.
    """
    uses = _uses(query)
    if not uses:
        return query
    check_size(query)
    query = _inline(query, {label for label, count in uses.items() if count < 2})
    labels = sorted(_uses(query))
    ranks = dict.fromkeys(labels, 0)
    while True:
        ranks = _refine(query, ranks)
        tied = [label for label in labels if list(ranks.values()).count(ranks[label]) > 1]
        if not tied:
            return _relabel(query, {label: rank + 1 for label, rank in ranks.items()})
        first = min(tied, key=lambda label: ranks[label])
        ranks = {label: 2 * rank + (label != first) for label, rank in ranks.items()}


def _uses(query: Query) -> Counter[int]:
    """How many edges leave each variable, of which one answer may need several.

    Branches of a union exclude each other, so a variable with one use in each
    is not shared. The inside of a definition counts once.
    """
    total: Counter[int] = Counter()
    definitions: dict[int, Query] = {}
    pending = [query]
    while pending:
        found, inner = _open_uses(pending.pop())
        total += found
        for label, definition in inner.items():
            if label not in definitions:
                definitions[label] = definition
                pending.append(definition)
    return total


def _open_uses(query: Query) -> tuple[Counter[int], dict[int, Query]]:
    """Uses outside of definitions, and the definitions met on the way."""
    if isinstance(query, Variable):
        return Counter({query.label: 1}), {query.label: query.definition}
    uses: Counter[int] = Counter()
    definitions: dict[int, Query] = {}
    for operand in operands_of(query):
        found, inner = _open_uses(operand)
        uses = uses | found if isinstance(query, Union) else uses + found
        definitions |= inner
    return uses, definitions


def _inline(query: Query, labels: set[int]) -> Query:
    if isinstance(query, Variable):
        definition = _inline(query.definition, labels)
        # A constant is one value wherever it stands, and so is a renamed variable.
        if query.label in labels or isinstance(definition, Anchor | Variable):
            return definition
        return Variable(query.label, definition)
    return rebuild(query, lambda operand: _inline(operand, labels))


def _relabel(query: Query, labels: Mapping[int, int]) -> Query:
    if isinstance(query, Variable):
        return Variable(labels[query.label], _relabel(query.definition, labels))
    return rebuild(query, lambda operand: _relabel(operand, labels))


def _refine(query: Query, ranks: dict[int, int]) -> dict[int, int]:
    """Tell variables apart by how the query looks from each, until that tells no more."""
    while True:
        views = {
            label: (rank, sort_key(_relabel(query, {**ranks, label: -1})))
            for label, rank in ranks.items()
        }
        order = sorted(set(views.values()))
        refined = {label: order.index(view) for label, view in views.items()}
        if len(order) == len(set(ranks.values())):
            return refined
        ranks = refined
