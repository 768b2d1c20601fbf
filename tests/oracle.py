"""What questions mean, written twice more and as plainly as possible.

`satisfying` reads a formula, `denote` reads a computation graph. Neither shares
code with the package beyond the data they read; both are for tiny graphs only.
"""

from __future__ import annotations

from query2box.graph.knowledge_graph import KnowledgeGraph
from query2box.query.nodes import Anchor, Intersection, Projection, Query, Symbol, Union, Variable
from query2box.query.syntax import And, Atom, Formula, Name, Or, Term, Var

Triples = list[tuple[int, int, int]]


def satisfying(formula: Formula, target: str | Var, graph: KnowledgeGraph) -> set[int]:
    """The values of the target for which the other variables have values that fit."""
    name = target.name if isinstance(target, Var) else target
    triples = _triples(graph)
    return {e for e in range(graph.num_entities) if _holds([formula], {name: e}, triples, graph)}


def _holds(todo: list[Formula], values: dict[str, int], triples: Triples, graph) -> bool:
    if not todo:
        return True
    # Any order will do; formulas that touch a known variable first keeps it quick.
    first = next((f for f in todo if _touches(f, values)), todo[0])
    rest = [f for f in todo if f is not first]
    match first:
        case And(parts):
            return _holds([*parts, *rest], values, triples, graph)
        case Or(parts):
            return any(_holds([part, *rest], values, triples, graph) for part in parts)
        case Atom(relation, subject, object):
            wanted = _relation(relation.symbol, graph)
            return any(
                _holds(rest, after, triples, graph)
                for h, r, t in triples
                if r == wanted
                and (known := _fit(subject, h, values, graph)) is not None
                and (after := _fit(object, t, known, graph)) is not None
            )


def _touches(formula: Formula, values: dict[str, int]) -> bool:
    if not isinstance(formula, Atom):
        return isinstance(formula, And)
    return any(isinstance(t, Name) or t.name in values for t in (formula.subject, formula.object))


def _fit(term: Term, value: int, values: dict[str, int], graph) -> dict[str, int] | None:
    if isinstance(term, Name):
        return values if _entity(term.symbol, graph) == value else None
    if term.name in values:
        return values if values[term.name] == value else None
    return {**values, term.name: value}


def denote(query: Query, graph: KnowledgeGraph) -> set[int]:
    """The entities that a computation graph leads to."""
    triples = _triples(graph)
    return {e for e in range(graph.num_entities) if _ways(query, e, frozenset(), triples, graph)}


def _ways(query: Query, value: int, known: frozenset, triples: Triples, graph) -> set[frozenset]:
    """All ways to choose values of shared variables, given those known, so that value fits."""
    match query:
        case Anchor(entity):
            return {known} if _entity(entity, graph) == value else set()
        case Projection(relation, operand):
            wanted = _relation(relation, graph)
            heads = {h for h, r, t in triples if r == wanted and t == value}
            return {w for h in heads for w in _ways(operand, h, known, triples, graph)}
        case Union(operands):
            return {w for q in operands for w in _ways(q, value, known, triples, graph)}
        case Intersection(operands):
            ways = {known}
            for q in operands:
                ways = {after for w in ways for after in _ways(q, value, w, triples, graph)}
            return ways
        case Variable(label, definition):
            if label in dict(known):
                return {known} if dict(known)[label] == value else set()
            return _ways(definition, value, known | {(label, value)}, triples, graph)


def _triples(graph: KnowledgeGraph) -> Triples:
    forward = [(int(h), 2 * int(r), int(t)) for h, r, t in graph.edges]
    return forward + [(t, r + 1, h) for h, r, t in forward]


def _entity(symbol: Symbol, graph: KnowledgeGraph) -> int:
    return symbol if isinstance(symbol, int) else graph.entity_id(symbol)


def _relation(symbol: Symbol, graph: KnowledgeGraph) -> int:
    return symbol if isinstance(symbol, int) else graph.relation_id(symbol)
