"""The easiest proofs against all proofs, and the figures that are split by them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from query2box.errors import QueryError
from query2box.evaluation import missing_edges as module
from query2box.evaluation.metrics import Metrics, Ranks
from query2box.evaluation.missing_edges import Pricing, by_missing_edges
from query2box.graph.knowledge_graph import KnowledgeGraph
from query2box.query.language import parse
from query2box.query.names import bind
from query2box.query.nodes import Anchor, Intersection, Projection, Query, Union, Variable
from query2box.query.skeleton import skeleton_of, structure
from query2box.workload.query_files import read_queries
from query2box.workload.query_set import QueryGroup, Ragged
from strategies import NUM_ENTITIES, NUM_RELATIONS, make_graph, queries

Edge = tuple[int, int, int]


@st.composite
def nested_graphs(draw: st.DrawFn) -> tuple[KnowledgeGraph, KnowledgeGraph]:
    """A graph and a larger one."""
    entity, relation = st.integers(0, NUM_ENTITIES - 1), st.integers(0, NUM_RELATIONS - 1)
    edges = draw(st.lists(st.tuples(entity, relation, entity), max_size=40, unique=True))
    kept = draw(st.lists(st.booleans(), min_size=len(edges), max_size=len(edges)))
    return make_graph([e for e, keep in zip(edges, kept, strict=True) if keep]), make_graph(edges)


def directed(graph: KnowledgeGraph) -> set[Edge]:
    forward = {(h, 2 * r, t) for h, r, t in graph.edges.tolist()}
    return forward | {(t, r + 1, h) for h, r, t in forward}


def cheapest(query: Query, value: int, smaller: set[Edge], larger: set[Edge]) -> int:
    """The cost of the easiest of all proofs, -1 where there is none."""

    def proofs(node: Query, value: int, known: dict[int, int]) -> Iterator[tuple[dict, int]]:
        match node:
            case Anchor(entity):
                if entity == value:
                    yield known, 0
            case Projection(relation, operand):
                for edge in larger:
                    if edge[1:] == (relation, value):
                        for after, cost in proofs(operand, edge[0], known):
                            yield after, cost + (edge not in smaller)
            case Union(operands):
                for operand in operands:
                    yield from proofs(operand, value, known)
            case Intersection((first, *rest)):
                for after, cost in proofs(first, value, known):
                    if not rest:
                        yield after, cost
                        continue
                    for final, more in proofs(Intersection(tuple(rest)), value, after):
                        yield final, cost + more
            case Variable(label, definition):
                if label not in known:
                    yield from proofs(definition, value, {**known, label: value})
                elif known[label] == value:
                    yield known, 0

    return min((cost for _, cost in proofs(query, value, {})), default=-1)


def group_of(query: Query, answers: list[int]) -> QueryGroup:
    skeleton, entities, relations = skeleton_of(query)
    return QueryGroup(
        "any",
        skeleton,
        np.array([entities], np.int32),
        np.array([relations], np.int32).reshape(1, -1),
        Ragged.empty(1),
        Ragged.from_lists([answers]),
    )


@settings(max_examples=150)
@given(nested_graphs(), queries())
def test_the_easiest_of_all_proofs(graphs, query: Query) -> None:
    smaller, larger = graphs
    pricing = Pricing(smaller.adjacency, larger.adjacency)
    everybody = list(range(NUM_ENTITIES))
    edges = directed(smaller), directed(larger)
    wanted = [cheapest(query, entity, *edges) for entity in everybody]
    assert pricing.costs(group_of(query, everybody)).tolist() == wanted


FAMILY = """\
Ada parent Bob
Ada parent Cid
Bob parent Dan
Cid parent Dan
Dan lives Rome
Bob lives Rome
Dan likes Rome
"""


def family(*missing: str) -> tuple[KnowledgeGraph, Pricing]:
    """A family, and what its answers cost without some of its edges."""
    triples = [tuple(line.split()) for line in FAMILY.splitlines()]
    names = sorted({name for h, _, t in triples for name in (h, t)})
    relations = sorted({r for _, r, _ in triples})
    edges = {
        " ".join(t): (names.index(t[0]), relations.index(t[1]), names.index(t[2])) for t in triples
    }
    whole = make_graph(list(edges.values()), len(names), len(relations))
    rest = make_graph([e for t, e in edges.items() if t not in missing], len(names), len(relations))
    named = KnowledgeGraph(
        type(whole.entities)("entity", names),
        type(whole.relations)("relation", relations),
        {"train": whole.edges},
    )
    return named, Pricing(rest.adjacency, whole.adjacency)


@pytest.mark.parametrize(
    ("question", "missing", "cost"),
    [
        ("?x : parent(Ada, ?y) & parent(?y, ?x)", ["Ada parent Bob"], 0),
        ("?x : parent(Ada, ?y) & parent(?y, ?x)", ["Ada parent Bob", "Cid parent Dan"], 1),
        ("?x : parent(Ada, ?y) & parent(?y, ?x)", ["Ada parent Bob", "Ada parent Cid"], 1),
        ("?x : parent(Bob, ?x) & parent(Cid, ?x)", ["Bob parent Dan", "Cid parent Dan"], 2),
        ("?x : parent(Bob, ?x) | parent(Cid, ?x)", ["Bob parent Dan", "Cid parent Dan"], 1),
        ("?x : lives(?x, Rome) & likes(?x, Rome)", ["Dan lives Rome"], 1),
    ],
)
def test_by_hand(question: str, missing: list[str], cost: int) -> None:
    graph, pricing = family(*missing)
    query = bind(parse(question, graph), graph)
    assert pricing.costs(group_of(query, [graph.entity_id("Dan")])).tolist() == [cost]


def test_the_edges_of_a_shared_variable_count_once() -> None:
    graph, pricing = family("Bob parent Dan", "Cid parent Dan")
    # Dan is one person here, so one way to him is enough.
    question = "?x : parent(Bob, ?y) & lives(?y, ?x) & likes(?y, ?x)"
    query = bind(parse(question, graph), graph)
    assert pricing.costs(group_of(query, [graph.entity_id("Rome")])).tolist() == [1]


def test_a_variable_that_no_branch_uses_costs_nothing() -> None:
    variable = Variable(1, Projection(0, Anchor(0)))
    query = Intersection(
        (
            Union((Projection(2, Anchor(2)), Projection(2, variable))),
            Union((Projection(4, Anchor(3)), Projection(4, variable))),
        )
    )
    known = [(1, 1, 5), (1, 2, 5), (2, 1, 5), (3, 2, 5)]
    smaller, larger = make_graph(known), make_graph([*known, (0, 0, 1)])
    pricing = Pricing(smaller.adjacency, larger.adjacency)
    assert cheapest(query, 5, directed(smaller), directed(larger)) == 0
    assert pricing.costs(group_of(query, [5])).tolist() == [0]


def test_many_queries_at_once_are_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CHUNK", 3)
    generator = np.random.default_rng(0)
    edges = generator.integers(0, (NUM_ENTITIES, NUM_RELATIONS, NUM_ENTITIES), (30, 3)).tolist()
    larger = make_graph([tuple(e) for e in edges])
    smaller = make_graph([tuple(e) for e in edges[:15]])
    pricing = Pricing(smaller.adjacency, larger.adjacency)
    group = QueryGroup(
        "2p",
        structure("2p"),
        generator.integers(0, NUM_ENTITIES, (20, 1), np.int32),
        generator.integers(0, 2 * NUM_RELATIONS, (20, 2), np.int32),
        Ragged.empty(20),
        Ragged.from_lists([sorted({n % NUM_ENTITIES, 3}) for n in range(20)]),
    )
    alone = [pricing.costs(group.take([row])) for row in range(20)]
    assert np.concatenate(alone).tolist() == pricing.costs(group).tolist()
    assert pricing.costs(group, threads=1).tolist() == pricing.costs(group).tolist()


def test_no_queries() -> None:
    graph = make_graph([(0, 0, 1)])
    pricing = Pricing(graph.adjacency, graph.adjacency)
    assert pricing.costs(QueryGroup.empty("1p", structure("1p"))).tolist() == []


def test_work_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_WORK", 10)
    edges = [(h, 0, t) for h in range(NUM_ENTITIES) for t in range(NUM_ENTITIES)]
    graph = make_graph(edges)
    pricing = Pricing(graph.adjacency, graph.adjacency)
    query = Intersection(
        tuple(Projection(r, Variable(1, Projection(0, Anchor(0)))) for r in (0, 1))
    )
    with pytest.raises(QueryError, match="too many values"):
        pricing.costs(group_of(query, [0]))


def test_figures_by_missing_edges() -> None:
    one, two = structure("1p"), structure("2p")

    def group(name: str, skeleton: Query, hard: list[list[int]]) -> QueryGroup:
        entities = np.zeros((len(hard), 1), np.int32)
        relations = np.zeros((len(hard), 1 + (name == "2p")), np.int32)
        return QueryGroup(
            name, skeleton, entities, relations, Ragged.empty(len(hard)), Ragged.from_lists(hard)
        )

    def ranks(*places: int) -> Ranks:
        return Ranks(np.array(places) - 1, np.zeros(len(places), np.int64))

    found = by_missing_edges(
        [
            (group("1p", one, [[1], [2, 3]]), ranks(1, 2, 4), np.array([1, 1, 1], np.int16)),
            (group("2p", two, [[1, 2], [3]]), ranks(1, 5, 2), np.array([1, 2, 2], np.int16)),
        ]
    )
    assert list(found) == [1, 2]
    easy, hard = found[1], found[2]
    assert (easy.answers, hard.answers) == (4, 2)
    assert easy.report.structures["1p"] == Metrics((1 + (1 / 2 + 1 / 4) / 2) / 2, 0.5, 0.75, 1, 2)
    assert easy.report.structures["2p"] == Metrics(1, 1, 1, 1, 1)
    assert hard.report.structures == {"2p": Metrics((1 / 5 + 1 / 2) / 2, 0, 0.5, 1, 2)}
    assert hard.to_json() == {
        **Metrics((1 / 5 + 1 / 2) / 2, 0, 0.5, 1, 2).to_json(),
        "answers": 2,
        "structures": {"2p": Metrics((1 / 5 + 1 / 2) / 2, 0, 0.5, 1, 2).to_json()},
    }


def test_hard_answers_of_the_authors_queries_need_a_missing_edge(shared_data: Path) -> None:
    graph = KnowledgeGraph.load(shared_data / "NELL995")
    queries = read_queries(shared_data / "NELL995" / "valid-queries.jsonl.gz", graph)
    pricing = Pricing(graph.train.adjacency, graph.valid.adjacency)
    for group in queries.groups:
        some = group.take(range(0, len(group), 20))
        costs = pricing.costs(some)
        assert costs.min() == 1
        assert costs.max() <= some.relations.shape[1]
