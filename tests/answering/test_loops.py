"""Nobody is its own neighbour where nobody is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
from query2box.answering import loops
from query2box.answering.index import CellIndex
from query2box.answering.together import Wanted, reply_together
from query2box.graph.knowledge_graph import KnowledgeGraph
from query2box.query.dnf import disjuncts, to_dnf
from query2box.query.nodes import Anchor, Intersection, Projection, Query, Variable
from query2box.workload.query_set import Ragged
from reasoners import random_reasoner
from strategies import graphs, queries


@pytest.fixture(autouse=True)
def few_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """The graphs of these tests are small."""
    monkeypatch.setattr(loops, "ENOUGH", 1)


def atoms_at_the_target(query: Query) -> list[tuple[int, int]]:
    """The relations that lead from an anchor straight to the target of a conjunctive query."""
    match query:
        case Projection(relation, Anchor(entity)):
            return [(int(relation), int(entity))]
        case Intersection(operands):
            return [atom for operand in operands for atom in atoms_at_the_target(operand)]
        case Variable(definition=definition):
            return atoms_at_the_target(definition)
        case _:
            return []


def left_out(query: Query, graph: KnowledgeGraph) -> set[int]:
    """By the question's normal form: in each disjunct somebody would have to be a loop."""
    edges = [tuple(edge) for edge in graph.edges.tolist()]
    looping = {r for h, r, t in edges if h == t}
    never = {r for _, r, _ in edges} - looping
    return set.intersection(
        *(
            {e for relation, e in atoms_at_the_target(part) if relation >> 1 in never}
            for part in disjuncts(to_dnf(query))
        )
    )


few_graphs, few_queries = graphs(), queries()


@settings(max_examples=150)
@given(few_graphs, few_queries, st.integers(0, 8), st.integers(0, 3))
def test_the_rest_stays_as_it_is(graph, query, k, seed) -> None:
    """Order, distances and probabilities are those of the answers with loops."""
    reasoner = random_reasoner(graph, seed)
    out = left_out(query, graph)
    assert not out & set(oracle.denote(query, graph))
    for only in (None, "known", "predicted"):
        everybody = reasoner.answer(query, graph.num_entities, only=only, loops=True)
        expected = [answer for answer in everybody if answer.id not in out][:k]
        assert reasoner.answer(query, k, only=only) == expected
        some = range(0, graph.num_entities, 2)
        allowed = reasoner.answer(query, k, only=only, candidates=some)
        assert allowed == [a for a in everybody if a.id in some and a.id not in out][:k]


@settings(max_examples=60)
@given(few_graphs, st.lists(few_queries, max_size=5), st.integers(0, 8))
def test_together_is_as_alone(graph, questions, k) -> None:
    reasoner = random_reasoner(graph)
    for only in (None, "predicted"):
        alone = [reasoner.answer(query, k, only=only) for query in questions]
        wanted = [Wanted(query, k, only) for query in questions]
        for many in (
            reasoner.answer_many(questions, k, only=only),
            [reply.answers for reply in reply_together(reasoner, wanted)],
        ):
            for query, one, other in zip(questions, alone, many, strict=True):
                assert [a.distance for a in one] == pytest.approx([a.distance for a in other])
                assert not {a.id for a in other} & left_out(query, graph)


@pytest.mark.filterwarnings("ignore:builtin type")  # of faiss's wrappers
@settings(max_examples=30)
@given(few_graphs, few_queries, st.integers(0, 8))
def test_the_index_gives_the_same(graph, query, k) -> None:
    pytest.importorskip("faiss")
    reasoner = random_reasoner(graph)
    for only in (None, "predicted"):
        reasoner.index = None
        expected = reasoner.answer(query, k, only=only)
        reasoner.index = CellIndex.build(reasoner.space.points)
        assert reasoner.answer(query, k, only=only) == expected


def graph_of(text: str) -> KnowledgeGraph:
    from query2box.graph.vocabulary import Vocabulary

    triples = [line.split() for line in text.strip().splitlines()]
    entities = sorted({name for h, _, t in triples for name in (h, t)})
    relations = sorted({r for _, r, _ in triples})
    edges = [(entities.index(h), relations.index(r), entities.index(t)) for h, r, t in triples]
    return KnowledgeGraph(
        Vocabulary("entity", entities),
        Vocabulary("relation", relations),
        {"train": np.array(edges)},
    )


NEIGHBOURS = graph_of("""
    France borders Spain
    Spain borders Portugal
    France speaks French
    Spain likes Spain
""")


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("?c : borders(France, ?c)", {"France"}),
        ("?c : borders(?c, France)", {"France"}),
        ("?c : likes(France, ?c)", set()),  # somebody likes itself
        ("?c : borders(France, ?c) & likes(Spain, ?c)", {"France"}),
        ("?c : borders(France, ?c) & borders(Spain, ?c)", {"France", "Spain"}),
        ("?c : borders(France, ?c) | borders(Spain, ?c)", set()),
        ("?c : borders(France, ?c) | speaks(France, ?c)", {"France"}),
        ("?c : borders(France, ?c) | likes(France, ?c)", set()),
        ("?c : borders(France, ?x) & borders(?x, ?c)", set()),  # there and back again
    ],
)
def test_examples(question: str, missing: set[str]) -> None:
    reasoner = random_reasoner(NEIGHBOURS)
    found = {answer.entity for answer in reasoner.answer(question, 99)}
    assert set(NEIGHBOURS.entities) - found == missing
    assert len(reasoner.answer(question, 99, loops=True)) == NEIGHBOURS.num_entities
    for name in missing:  # whoever asks why is told
        assert reasoner.explain(question, name).answer.entity == name


def test_few_edges_show_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "ENOUGH", 2)
    never = loops.without_loops(NEIGHBOURS)
    names = [NEIGHBOURS.relation_name(r) for r in np.flatnonzero(never).tolist()]
    assert names == ["borders", "^borders"]


rows_of_sets = st.lists(st.tuples(*[st.sets(st.integers(0, 9), max_size=4)] * 2), max_size=6)


@given(rows_of_sets)
def test_joined(rows) -> None:
    rows = [(one, other - one) for one, other in rows]
    one, other = (Ragged.from_lists(sorted(row[side]) for row in rows) for side in (0, 1))
    found = loops.joined(one, other)
    assert [row.tolist() for row in found] == [sorted(a | b) for a, b in rows]
