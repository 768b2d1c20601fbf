"""From a sentence to its computation graph (Query2box, section 3).

Anchors are the sources, the target is the sink; an atom that points the wrong
way is turned to its inverse relation, and a variable with several outgoing
edges is shared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
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

MAX_WORK = 4 * MAX_NODES
"""Nodes made on the way, those that turn out to be equal included."""


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
    """Builds computation graphs; keeps count of labels given and nodes made."""

    def __init__(self) -> None:
        self.labels = count(1)
        self.nodes = 0

    def build(self, sink: Var, formulas: Iterable[Formula]) -> Query:
        """The computation graph of a conjunction that ends in `sink`.

        An "or" that meets the rest in one variable is a union that leads to this
        variable; one that meets it in several is multiplied out. "There exists"
        distributes over "or", so variables of different branches are not the same.
        """
        items = _conjuncts(formulas)
        mentioned = {item: variables(item) for item in items}
        times = Counter(name for names in mentioned.values() for name in names)
        if sink.name not in times:
            raise IllegalQueryError(
                f"one side of '|' says nothing about ?{sink.name}", position=place(items[0])
            )
        times[sink.name] += 1
        single: list[tuple[Var, Or]] = []
        scattered: list[Or] = []
        for item, names in mentioned.items():
            interface = [v for name, v in names.items() if times[name] > 1]
            if isinstance(item, Or) and not interface:
                raise not_connected(next(iter(names.values())), sink)
            if isinstance(item, Or) and len(interface) == 1:
                single.append((interface[0], item))
            elif isinstance(item, Or):
                scattered.append(item)
        if scattered:
            return self.build_scattered(sink, items, scattered)

        constraints: dict[Var, list[Query]] = {}
        edges: list[Edge] = []
        for variable, item in single:
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
        return self.conjunction(sink, edges, constraints)

    def build_scattered(self, sink: Var, items: list[Formula], scattered: list[Or]) -> Query:
        """The computation graph of a conjunction some of whose "or"s meet it in many places.

        What hangs on one such "or" alone is moved into its branches; where nothing
        does, the branches of all of them are combined.
        """
        rest = [item for item in items if item not in scattered]
        moved: dict[Or, list[Formula]] = {}
        for part in _components(rest):
            names = variables(And(tuple(part))).keys()
            holders = [item for item in scattered if names & variables(item).keys()]
            if sink.name not in names and len(holders) == 1:
                moved.setdefault(holders[0], []).extend(part)
        ways = max(map(_width, moved)) if moved else prod(map(_width, scattered))
        if ways > MAX_DISJUNCTS:
            raise TooManyDisjunctsError(ways, MAX_DISJUNCTS)
        if not moved:
            return union(
                *(
                    self.build(sink, [*rest, *choice])
                    for choice in product(*(item.parts for item in scattered))
                )
            )
        gone = [item for part in moved.values() for item in part]
        kept = [item for item in items if item not in moved and item not in gone]
        filled = (
            Or(tuple(And((branch, *part)) for branch in item.parts)) for item, part in moved.items()
        )
        return self.build(sink, [*kept, *filled])

    def conjunction(
        self,
        sink: Var,
        edges: list[Edge],
        constraints: dict[Var, list[Query]],
    ) -> Query:
        """The computation graph of constraints on variables and edges between them."""
        ends = (end for edge in edges for end in (edge.subject, edge.object))
        names = list(dict.fromkeys((sink, *constraints, *ends)))
        if len(names) > MAX_VARIABLES:
            raise IllegalQueryError(
                f"more than {MAX_VARIABLES} variables stand in one conjunction",
                position=names[MAX_VARIABLES].position,
            )
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
            if sizes[v][0] + self.nodes > MAX_WORK or sizes[v][1] > MAX_DEPTH:
                raise too_large()
            built[v] = intersection(
                *constraints.get(v, ()), *(projection(r, built[y]) for r, y in incoming[v])
            )
            if uses[v] > 1:
                built[v] = Variable(next(self.labels), built[v])
        self.nodes += sizes[sink][0]
        return built[sink]


def _flat(formula: Formula) -> Formula:
    """The formula without an "and" in an "and" or an "or" in an "or"."""
    if isinstance(formula, Atom):
        return formula
    kind = type(formula)
    parts: list[Formula] = []
    for part in map(_flat, formula.parts):
        parts += part.parts if isinstance(part, kind) else (part,)
    return kind(tuple(parts)) if len(parts) > 1 else parts[0]


def _conjuncts(formulas: Iterable[Formula]) -> list[Formula]:
    """The atoms and ors of a conjunction; what is said twice counts once."""
    flat = _flat(And(tuple(formulas)))
    parts = flat.parts if isinstance(flat, And) else (flat,)
    return list({_content(part): part for part in reversed(parts)}.values())[::-1]


def _content(formula: Formula) -> Hashable:
    """What a formula says, whatever the order of its parts."""
    if isinstance(formula, Atom):
        return formula
    return type(formula), frozenset(map(_content, formula.parts))


def _components(items: list[Formula]) -> list[list[Formula]]:
    """The items in groups that share no variable."""
    groups: list[tuple[set[str], list[Formula]]] = []
    for item in items:
        names = set(variables(item))
        touching = [group for group in groups if group[0] & names]
        groups = [group for group in groups if group not in touching]
        groups.append(
            (
                names.union(*(group[0] for group in touching)),
                [*(i for group in touching for i in group[1]), item],
            )
        )
    return [group for _, group in groups]


def _width(formula: Formula) -> int:
    """How many conjunctions a formula has when it is multiplied out."""
    match formula:
        case Atom():
            return 1
        case And(parts):
            return prod(map(_width, parts))
        case Or(parts):
            return sum(map(_width, parts))
