"""Which way the edges of a question run: from the anchors to the target.

The atoms between variables are the edges of an undirected graph. They are
directed along an order of the variables in which the target comes last and
every other variable has an edge to a later one and, from an anchor or an
earlier one, an edge to itself. Such an order exists where the graph, with one
source joined to all anchored variables and to the target, stays connected
whichever variable is taken out (a bipolar orientation).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, TypeAlias

from query2box.errors import IllegalQueryError
from query2box.query.nodes import Query, Symbol, sort_key
from query2box.query.syntax import Var
from query2box.query.variables import canonical

SortKey: TypeAlias = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Edge:
    """An atom between two variables, as written."""

    relation: Symbol
    subject: Var
    object: Var

    def other(self, end: Var) -> Var:
        """The variable at the other end."""
        return self.object if end == self.subject else self.subject

    def key(self, end: Var) -> SortKey:
        """How the edge looks from one end."""
        return self.object == end, isinstance(self.relation, str), self.relation


def backward_order(
    target: Var,
    variables: Iterable[Var],
    edges: Iterable[Edge],
    constraints: Mapping[Var, Sequence[Query]],
) -> list[Var]:
    """The variables from the target back to the anchors.

    Built step by step from the target: the next variable touches one that is
    placed, and without it the others still hang together with the anchors. The
    one that keeps most edges as they are written goes first, so a written
    direction that is legal is kept. Ties are broken by what is said about a
    variable, so that neither the order of the atoms nor its name matters.
    """
    graph = _Graph(variables, edges)
    graph.check_connected(target)
    anchored = constraints.keys()
    colours = graph.colours(
        {
            v: (v == target, *sorted(sort_key(canonical(q)) for q in constraints.get(v, ())))
            for v in graph.variables
        }
    )
    placed = {target: 0}
    unplaced = set(graph.variables) - {target}

    def cost(v: Var) -> SortKey:
        turned = sum(e.subject == v and e.object in unplaced for e in graph.edges[v])
        ahead = ((placed[e.other(v)], e.key(v)) for e in graph.edges[v] if e.other(v) in placed)
        return turned, colours[v], sorted(ahead), v.name

    while unplaced:
        free = graph.removable(unplaced, anchored)
        candidates = [v for v in free if not graph.neighbours[v] <= unplaced]
        if not candidates:
            raise graph.complaint(target, anchored)
        chosen = min(candidates, key=cost)
        placed[chosen] = len(placed)
        unplaced.remove(chosen)
    return list(placed)


def not_connected(variable: Var, target: Var) -> IllegalQueryError:
    """The complaint about a variable that has nothing to do with the target."""
    return IllegalQueryError(
        f"the variable ?{variable.name} is not connected to ?{target.name}",
        position=variable.position,
    )


class _Graph:
    """Variables and the edges between them, directions left aside."""

    def __init__(self, variables: Iterable[Var], edges: Iterable[Edge]) -> None:
        self.variables = list(variables)
        self.edges: dict[Var, list[Edge]] = {v: [] for v in self.variables}
        for edge in edges:
            self.edges[edge.subject].append(edge)
            self.edges[edge.object].append(edge)
        self.neighbours = {v: {e.other(v) for e in self.edges[v]} for v in self.variables}

    def reached(self, starts: Iterable[Var], within: AbstractSet[Var]) -> set[Var]:
        """The variables that hang together with the starting ones."""
        found = set(starts) & within
        pending = list(found)
        while pending:
            new = (self.neighbours[pending.pop()] & within) - found
            found |= new
            pending += new
        return found

    def removable(self, within: AbstractSet[Var], anchored: AbstractSet[Var]) -> set[Var]:
        """Those variables without which the others still hang together with the anchors."""
        depths: dict[Var, int] = {}
        cuts: set[Var] = set()

        def lowest(v: Var, depth: int) -> int:
            """The least depth that an edge leads to from v and what is found after it."""
            depths[v] = depth
            low = 0 if v in anchored else depth
            for w in self.neighbours[v] & within:
                if w not in depths:
                    below = lowest(w, depth + 1)
                    if below >= depth:
                        cuts.add(v)
                    low = min(low, below)
                else:
                    low = min(low, depths[w])
            return low

        for start in anchored & within:
            if start not in depths:
                lowest(start, 1)
        return set(depths) - cuts if len(depths) == len(within) else set()

    def colours(self, views: dict[Var, SortKey]) -> dict[Var, int]:
        """Numbers that tell variables apart by how they and their neighbours look."""
        classes = 0
        while True:
            ranks = {view: rank for rank, view in enumerate(sorted(set(views.values())))}
            colours = {v: ranks[view] for v, view in views.items()}
            if len(ranks) == classes:
                return colours
            classes = len(ranks)
            views = {
                v: (colours[v], *sorted((e.key(v), colours[e.other(v)]) for e in edges))
                for v, edges in self.edges.items()
            }

    # Complaints

    def check_connected(self, target: Var) -> None:
        """Refuse variables that have nothing to do with the target."""
        connected = self.reached([target], set(self.variables))
        for v in self.variables:
            if v not in connected:
                raise not_connected(v, target)

    def complaint(self, target: Var, anchored: AbstractSet[Var]) -> IllegalQueryError:
        """Why there is no order: a part without anchors hangs on one variable."""
        everything = set(self.variables)
        hanging: set[Var] = set()
        holder = target
        for v in self.variables:
            rest = everything - {v}
            part = rest - self.reached({target, *anchored}, rest)
            if len(part) > len(hanging):
                hanging, holder = part, v
        names = [f"?{v.name}" for v in self.variables if v in hanging]
        position = next(v.position for v in self.variables if v in hanging)
        within = {*hanging, holder}
        if sum(len(self.neighbours[v] & within) for v in within) // 2 >= len(within):
            message = f"the variables {_list([*names, f'?{holder.name}'])} form a cycle"
        else:
            message = f"no anchor leads to {_list(names)}"
        return IllegalQueryError(
            f"{message}; every variable must lie on a way from an anchor to ?{target.name}",
            position=position,
        )


def _list(names: list[str]) -> str:
    return " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)
