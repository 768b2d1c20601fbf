"""How hard hard answers are: the missing edges that their easiest proofs need.

Most queries of a benchmark have answers that need a single missing edge: the
rest of their proof is known, so they are link prediction in disguise. Figures
by the number of missing edges say how a model does where there are more.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from query2box.errors import QueryError
from query2box.evaluation.evaluator import Report, report_ranks
from query2box.evaluation.metrics import Ranks
from query2box.graph.adjacency import Adjacency
from query2box.workload.denotation import MAX_WORK
from query2box.workload.parallel import chunks, map_threads
from query2box.workload.program import program_of
from query2box.workload.query_set import QueryGroup, Ragged

CHUNK = 256

Costs = npt.NDArray[np.int16]


class Pricing:
    """The cost of answers: how many edges of a graph a smaller graph must lack to prove them.

    A proof is an assignment of entities to the variables of a query, with an
    edge for each of its projections; the easiest one counts.
    """

    def __init__(self, smaller: Adjacency, larger: Adjacency) -> None:
        from query2box.kernels.proofs import PricedEdges
        from query2box.kernels.traversal import read_only

        relations = 1 + max(int(g.group_relations.max(initial=0)) for g in (smaller, larger))
        missing = ~np.isin(_keys(larger, relations), _keys(smaller, relations))
        arrays = (larger.entity_groups, larger.group_relations, larger.group_objects)
        self._edges = PricedEdges(
            *map(read_only, (*arrays, larger.objects, missing.astype(np.uint8)))
        )

    def costs(self, group: QueryGroup, threads: int = 2) -> Costs:
        """The cost of each hard answer of a group, -1 where the larger graph has no proof."""
        from query2box.kernels.proofs import NOTHING, price_rows
        from query2box.kernels.traversal import read_only

        program = program_of(group.skeleton)
        entities, relations = read_only(group.entities), read_only(group.relations)
        offsets, answers = read_only(group.hard.offsets), read_only(group.hard.values)
        out: Costs = np.full(len(answers), NOTHING)

        def price(rows: slice) -> bool:
            within = read_only(offsets[rows.start : rows.stop + 1])
            parts = entities[rows], relations[rows], within, answers
            return bool(price_rows(program, self._edges, *parts, MAX_WORK, out))

        if not all(map_threads(price, chunks(len(group), CHUNK), threads)):
            raise QueryError("a query's shared variables have too many values to try them all")
        return out


def _keys(adjacency: Adjacency, relations: int) -> npt.NDArray[np.int64]:
    """A number for each edge and direction, in the order of `objects`."""
    size = adjacency.num_entities
    subjects = np.repeat(np.arange(size), np.diff(adjacency.entity_groups))
    groups = (subjects * relations + adjacency.group_relations) * size
    keys = np.repeat(groups, np.diff(adjacency.group_objects)) + adjacency.objects
    return np.asarray(keys, np.int64)


@dataclass(frozen=True)
class Share:
    """The figures of the answers that need one number of missing edges."""

    report: Report
    answers: int

    def to_json(self) -> dict[str, Any]:
        """As `q2b evaluate --by-missing-edges --json` prints them."""
        document = self.report.to_json()
        return {
            **document["average"],
            "answers": self.answers,
            "structures": document["structures"],
        }


def by_missing_edges(ranked: Iterable[tuple[QueryGroup, Ranks, Costs]]) -> dict[int, Share]:
    """The figures for each number of missing edges: over answers, queries, structures."""
    parts: dict[int, list[tuple[QueryGroup, Ranks]]] = {}
    for group, ranks, costs in ranked:
        for cost in np.unique(costs).tolist():
            chosen = costs == cost
            hard = Ragged.from_counts(
                np.bincount(group.hard.rows[chosen], minlength=len(group)),
                group.hard.values[chosen],
            )
            some = Ranks(ranks.closer[chosen], ranks.level[chosen])
            parts.setdefault(cost, []).append((replace(group, hard=hard), some))
    return {
        cost: Share(report_ranks(parts[cost]), sum(len(r.closer) for _, r in parts[cost]))
        for cost in sorted(parts)
    }
