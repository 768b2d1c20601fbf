"""From a sentence to its computation graph (Query2box, section 3).

Anchors are the sources, the target is the sink; an atom that points the wrong
way is turned to its inverse relation, and a variable with several outgoing
edges is shared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import count, product
from math import prod

from query2box.errors import IllegalQueryError, QueryError, TooManyDisjunctsError
from query2box.query.dnf import MAX_DISJUNCTS
from query2box.query.legality import MAX_DEPTH, MAX_NODES, check_size, measure, too_large
from query2box.query.nodes import (
    Anchor,
    Query,
    Symbol,
    Variable,
    intersection,
    projection,
    union,
)
from query2box.query.order import Edge, backward_order, not_connected
from query2box.query.syntax import (
    And,
    Atom,
    Formula,
    Name,
    Or,
    Sentence,
    Var,
    atoms,
    inverse,
    place,
    variables,
)
from query2box.query.variables import canonical

MAX_VARIABLES = 128
"""Variables of one conjunction."""


def computation_graph(sentence: Sentence) -> Query:
    """The query that a sentence asks, in canonical form; complaints say where in its text."""
    try:
        _check(sentence)
        query = canonical(_Compiler().build(sentence.target, [sentence.formula]))
        check_size(query)
    except QueryError as error:
        if sentence.text is not None:
            error.at(sentence.text, sentence.target.position or 0)
            error.text = sentence.text
        raise
    return query


def _check(sentence: Sentence) -> None:
    """Refuse what no conjunction could mend."""
    anchored = False
    for atom in atoms(sentence.formula):
        match atom.subject, atom.object:
            case Name(), Name():
                raise IllegalQueryError(
                    "an atom without a variable asks nothing", position=atom.position
                )
            case Var(name), Var(other):
                if name == other:
                    raise IllegalQueryError(
                        f"the variable ?{name} forms a cycle with itself", position=atom.position
                    )
            case _:
                anchored = True
    target = sentence.target
    if target.name not in variables(sentence.formula):
        raise IllegalQueryError(
            f"the target ?{target.name} does not occur in the formula", position=target.position
        )
    if not anchored:
        raise IllegalQueryError(
            "the question has no anchor: at least one atom must name an entity",
            position=place(sentence.formula),
        )


class _Compiler:
    def __init__(self) -> None:
        self.labels = count(1)

    def build(self, sink: Var, formulas: Iterable[Formula]) -> Query:
        """The computation graph of a conjunction that ends in `sink`.

        An "or" that meets the rest in one variable is a union that leads to this
        variable. One that meets it in several is multiplied out: "there exists"
        distributes over "or", so variables of different branches are not the same.
        """
        items = _conjuncts(formulas)
        mentioned = [variables(item) for item in items]
        everything = variables(And(tuple(items)))
        if sink.name not in everything:
            raise IllegalQueryError(
                f"one side of '|' says nothing about ?{sink.name}", position=place(items[0])
            )
        times = Counter(name for names in mentioned for name in names)
        times[sink.name] += 1
        unions: list[tuple[Var, Or]] = []
        scattered: list[Or] = []
        for item, names in zip(items, mentioned, strict=True):
            interface = [v for name, v in names.items() if times[name] > 1]
            if isinstance(item, Or) and not interface:
                raise not_connected(next(iter(names.values())), sink)
            if isinstance(item, Or) and len(interface) == 1:
                unions.append((interface[0], item))
            elif isinstance(item, Or):
                scattered.append(item)
        if scattered:
            return self.multiplied_out(sink, [i for i in items if i not in scattered], scattered)

        constraints: dict[Var, list[Query]] = {}
        edges: list[Edge] = []
        for variable, item in unions:
            branches = union(*(self.build(variable, [part]) for part in item.parts))
            constraints.setdefault(variable, []).append(branches)
        for item in items:
            match item:
                case Atom(relation, Var() as subject, Var() as object):
                    edges.append(Edge(relation.symbol, subject, object))
                case Atom(relation, Name(entity), Var() as object):
                    path = projection(relation.symbol, Anchor(entity))
                    constraints.setdefault(object, []).append(path)
                case Atom(relation, Var() as subject, Name(entity)):
                    path = projection(inverse(relation.symbol), Anchor(entity))
                    constraints.setdefault(subject, []).append(path)
        return self.conjunction(sink, list(everything.values()), edges, constraints)

    def multiplied_out(self, sink: Var, rest: list[Formula], scattered: list[Or]) -> Query:
        """The union over all ways to pick one branch of each scattered "or"."""
        ways = prod(map(_width, scattered))
        if ways > MAX_DISJUNCTS:
            raise TooManyDisjunctsError(ways, MAX_DISJUNCTS)
        branches: list[Query] = []
        nodes = 0
        for parts in product(*(item.parts for item in scattered)):
            branches.append(self.build(sink, [*rest, *parts]))
            nodes += measure(branches[-1])[0]
            if nodes > MAX_NODES:
                raise too_large()
        return union(*branches)

    def conjunction(
        self,
        sink: Var,
        names: list[Var],
        edges: list[Edge],
        constraints: dict[Var, list[Query]],
    ) -> Query:
        """The computation graph of constraints on variables and edges between them."""
        if len(names) > MAX_VARIABLES:
            raise too_large()
        order = backward_order(sink, names, edges, constraints)
        rank = {v: i for i, v in enumerate(order)}
        incoming: dict[Var, dict[tuple[Symbol, Var], None]] = {v: {} for v in order}
        for edge in edges:
            if rank[edge.subject] > rank[edge.object]:
                incoming[edge.object][edge.relation, edge.subject] = None
            else:
                incoming[edge.subject][inverse(edge.relation), edge.object] = None
        uses = Counter(source for arrows in incoming.values() for _, source in arrows)
        built: dict[Var, Query] = {}
        sizes: dict[Var, tuple[int, int]] = {}
        for v in reversed(order):
            # Sizes are added up first: a few shared variables would make a huge query.
            parts = [measure(q) for q in constraints.get(v, ())]
            parts += [(sizes[y][0] + 1, sizes[y][1] + 1) for _, y in incoming[v]]
            more = (len(parts) > 1) + (uses[v] > 1)
            sizes[v] = sum(n for n, _ in parts) + more, max(d for _, d in parts) + more
            if sizes[v][0] > MAX_NODES or sizes[v][1] > MAX_DEPTH:
                raise too_large()
            built[v] = intersection(
                *constraints.get(v, ()), *(projection(r, built[y]) for r, y in incoming[v])
            )
            if uses[v] > 1:
                built[v] = Variable(next(self.labels), built[v])
        return built[sink]


def _conjuncts(formulas: Iterable[Formula]) -> list[Formula]:
    """The atoms and ors of a conjunction, each once."""
    found: dict[Formula, None] = {}
    for formula in formulas:
        parts = _conjuncts(formula.parts) if isinstance(formula, And) else (formula,)
        found.update(dict.fromkeys(parts))
    return list(found)


def _width(formula: Formula) -> int:
    """How many conjunctions a formula has when it is multiplied out."""
    match formula:
        case Atom():
            return 1
        case And(parts):
            return prod(map(_width, parts))
        case Or(parts):
            return sum(map(_width, parts))
