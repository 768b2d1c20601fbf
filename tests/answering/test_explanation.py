from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
from families import families
from query2box.answering import beams
from query2box.answering.explanation import LEAST
from query2box.answering.pattern import Bound, Pattern
from query2box.answering.reasoner import Reasoner
from query2box.errors import QueryError
from query2box.query.dnf import disjuncts, to_dnf
from query2box.query.nodes import Anchor, intersection, projection
from query2box.query.skeleton import parse_shape
from query2box.workload.sampler import sample_queries
from reasoners import random_reasoner
from strategies import NUM_ENTITIES, graphs, make_graph, queries

GAMMAS = st.sampled_from([2.0, 24.0])
"""With the larger one predictions are almost certain, and known edges are preferred still."""


@pytest.fixture
def narrow_beams(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beams, "EVERYBODY", 0)
    monkeypatch.setattr(beams, "BEAM", 1)


def check(explanation, query, entity, graph):
    """What every explanation must keep to."""
    stored = {tuple(edge) for edge in graph.edges.tolist()}
    all_disjuncts = disjuncts(to_dnf(query))
    for witness in (explanation.best, *explanation.runners_up):
        assert witness.disjunct in all_disjuncts
        values: dict[str, int] = {}
        said = []
        for atom in witness.atoms:
            relation = graph.relations.id(atom.relation)
            triple = (atom.subject.id, relation, atom.object.id)
            assert atom.known == (triple in stored)
            assert atom.probability == 1 if atom.known else 0 < atom.probability <= 1
            for end in (atom.subject, atom.object):
                assert graph.entities[end.id] == end.entity
                if end.variable is not None:
                    # One value for all uses of a variable.
                    assert values.setdefault(end.variable, end.id) == end.id
            said.append((atom.source, 2 * relation + (not atom.forward), atom.destination))
        assert values["?t"] == entity
        assert witness.probability == pytest.approx(
            float(np.prod([atom.probability for atom in witness.atoms]))
        )
        # The atoms are the disjunct's, whatever its variables are called.
        pattern = Pattern.of(witness.disjunct)
        assert sorted(relation for _, relation, _ in said) == sorted(
            a.relation for a in pattern.atoms
        )
        constants = sorted(source.id for source, _, _ in said if source.variable is None)
        assert constants == sorted(
            a.source.entity for a in pattern.atoms if not isinstance(a.source, Bound)
        )
        if witness.known:
            assert entity in oracle.denote(witness.disjunct, graph)
    assert explanation.best.known == (entity in oracle.denote(query, graph))
    assert explanation.answer.known == explanation.best.known


@settings(max_examples=80)
@given(graphs(), queries(), st.integers(0, NUM_ENTITIES - 1), st.integers(0, 3), GAMMAS)
def test_explanations_hold(graph, query, entity, runners_up, gamma):
    explanation = random_reasoner(graph, gamma=gamma).explain(query, entity, runners_up)
    check(explanation, query, entity, graph)
    assert explanation.exact
    assert len(explanation.runners_up) <= runners_up
    assert explanation.answer.id == entity


@settings(max_examples=80)
@given(graphs(), queries(), st.integers(0, NUM_ENTITIES - 1), GAMMAS)
@pytest.mark.usefixtures("narrow_beams")
def test_a_known_reason_is_found_however_narrow_the_beams(graph, query, entity, gamma):
    explanation = random_reasoner(graph, gamma=gamma).explain(query, entity)
    check(explanation, query, entity, graph)
    assert explanation.exact or not explanation.best.known


@pytest.mark.parametrize(
    "text", ["p(p(p(p(e))))", "i(p(p(e)),p(p(p(e))))", "i(p(v1(p(p(e)))),p(p(v1(p(p(e))))))"]
)
@pytest.mark.usefixtures("narrow_beams")
def test_known_reasons_far_from_what_the_model_expects(text):
    rng = np.random.default_rng(0)
    edges = rng.integers(0, (60, 2, 60), (150, 3))
    graph = make_graph([tuple(edge) for edge in edges.tolist()], 60, 2)
    reasoner = random_reasoner(graph)
    group = sample_queries(graph.adjacency, parse_shape(text), 20, seed=0)
    for row, answers in enumerate(group.easy):
        for entity in answers[:3].tolist():
            assert reasoner.explain(group.query(row), entity, 0).best.known


@settings(max_examples=40)
@given(graphs(), queries(), st.integers(0, NUM_ENTITIES - 1))
def test_no_other_values_speak_for_the_answer_more(graph, query, entity):
    reasoner = random_reasoner(graph)

    def probability(source, relation, destination):
        if destination in graph.adjacency.find(source, relation):
            return 1.0
        distance = reasoner.space.distances(reasoner.space.step([source], relation), [destination])
        return max(float(reasoner.calibration.edges(distance)[0, 0]), LEAST)

    best = 0.0
    for disjunct in disjuncts(to_dnf(query)):
        pattern = Pattern.of(disjunct)
        bound = len(pattern.definitions) - 1
        if bound > 2:
            return
        for others in product(range(NUM_ENTITIES), repeat=bound):
            values = (entity, *others)
            found = 1.0
            for atom in pattern.atoms:
                constant = not isinstance(atom.source, Bound)
                source = atom.source.entity if constant else values[atom.source.number]
                found *= probability(source, atom.relation, values[atom.destination])
            best = max(best, found)
    explained = reasoner.explain(query, entity, 0)
    # A known edge may be preferred to one that is almost certain.
    assert explained.best.probability == pytest.approx(best, rel=1e-2)


def test_a_run_explains_what_it_predicts(tiny_run):
    reasoner = Reasoner.load(tiny_run)
    question = "?c : lives(?p, ?c) & child(?p, 'child0.0')"
    for answer in reasoner.answer(question, 4):
        explanation = reasoner.explain(question, answer.entity)
        assert explanation.answer == answer
        assert [a.relation for a in explanation.best.atoms] == ["child", "lives"]
        document = explanation.to_json(reasoner.graph)
        assert document["answer"]["entity"] == answer.entity
        assert document["best"]["known"] == explanation.best.known
        assert len(document["runners_up"]) == 3


def test_the_union_says_which_branch_carried_the_answer():
    graph = families()
    reasoner = random_reasoner(graph)
    question = "?x : married(mother0, ?x) | raised(mother0, ?x)"
    for entity, relation in (("father0", "married"), ("child0.1", "raised")):
        best = reasoner.explain(question, entity).best
        assert best.known
        assert relation in best.to_json(graph)["disjunct"]


def test_huge_questions_are_not_explained():
    reasoner = random_reasoner(families())
    many = intersection(*(projection(r, Anchor(e)) for r in range(4) for e in range(20)))
    with pytest.raises(QueryError, match="64 atoms"):
        reasoner.explain(many, 0)
