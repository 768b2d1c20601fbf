from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
from command_line import MAIN
from families import families
from query2box.answering.reasoner import Reasoner
from query2box.errors import ConfigError, QuerySyntaxError, RunError, UnknownNameError
from query2box.kernels.reference import dist_box
from query2box.query.codec import to_json
from query2box.query.names import unbind
from query2box.query.render import render, render_sparql
from query2box.query.skeleton import skeleton_of
from reasoners import random_reasoner
from strategies import graphs, queries

GRAPH = families(held_out=8)


def distances_by_torch(reasoner, query):
    """dist_agg of every entity to a query, in plain torch."""
    skeleton, entities, relations = skeleton_of(query)
    model = reasoner.model
    with torch.no_grad():
        boxes = model.boxes(
            skeleton, model.points[torch.tensor([entities])], torch.tensor([relations])
        )
        every = dist_box(
            model.points, boxes.center[0][:, None], boxes.offset[0][:, None], model.config.alpha
        )
    return every.amin(0).tolist()


@settings(max_examples=60)
@given(graphs(), queries(), st.integers(0, 10), st.integers(0, 5))
def test_answers_are_the_nearest_entities_and_say_what_is_known(graph, query, k, seed):
    reasoner = random_reasoner(graph, seed)
    distances = distances_by_torch(reasoner, query)
    known = oracle.denote(query, graph)
    order = sorted(range(graph.num_entities), key=lambda entity: (distances[entity], entity))
    for only, expected in {
        None: order,
        "known": [entity for entity in order if entity in known],
        "predicted": [entity for entity in order if entity not in known],
    }.items():
        answers = reasoner.answer(query, k, only=only)
        # Entities that are equally near up to rounding may change places.
        assert [a.distance for a in answers] == pytest.approx([distances[e] for e in expected[:k]])
        assert [a.distance for a in answers] == pytest.approx([distances[a.id] for a in answers])
        assert len({a.id for a in answers}) == len(answers)
        assert all(a.known == (a.id in known) for a in answers)
        assert all(a.entity == graph.entities[a.id] for a in answers)
        assert all(a.probability == 1 for a in answers if a.known)


@settings(max_examples=40)
@given(graphs(), queries())
def test_a_question_is_the_same_as_nodes_as_lists_and_as_text(graph, query):
    reasoner = random_reasoner(graph)
    expected = reasoner.answer(query)
    assert reasoner.answer(to_json(query)) == expected
    assert reasoner.answer(to_json(unbind(query, graph))) == expected
    reply = reasoner.reply(query)
    assert reply.to_json(graph)["query"]["nodes"] == to_json(unbind(reply.query, graph))
    for text in (render(query, graph), render_sparql(query, graph)):
        # A sentence may turn a shared variable's question into its normal form.
        again = reasoner.answer(text)
        assert {a.id for a in again if a.known} == {a.id for a in expected if a.known}


@settings(max_examples=30)
@given(graphs(), st.lists(queries(), max_size=6), st.integers(1, 9))
def test_many_questions_are_answered_like_each_alone(graph, questions, k):
    reasoner = random_reasoner(graph)
    for only in (None, "known", "predicted"):
        together = reasoner.answer_many(questions, k, only=only)
        alone = [reasoner.answer(query, k, only=only) for query in questions]
        assert [[a.known for a in answers] for answers in together] == [
            [a.known for a in answers] for answers in alone
        ]
        for one, other in zip(together, alone, strict=True):
            assert [a.distance for a in one] == pytest.approx([a.distance for a in other])


QUESTION = "?c : child(mother0, ?c)"


def test_candidates_are_entities_or_the_answers_of_a_question():
    reasoner = random_reasoner(GRAPH)
    everybody = reasoner.answer(QUESTION, 1000, loops=True)
    assert len(everybody) == GRAPH.num_entities
    chosen = {"child0.1", "city1", "mother3"}
    assert reasoner.answer(QUESTION, candidates=chosen) == [
        answer for answer in everybody if answer.entity in chosen
    ]
    by_id = [GRAPH.entity_id(name) for name in chosen]
    assert reasoner.answer(QUESTION, candidates=by_id) == reasoner.answer(
        QUESTION, candidates=chosen
    )
    typed = reasoner.answer(QUESTION, 1000, candidates="?p : lives(?p, city0)", loops=True)
    assert typed == [a for a in everybody if a.entity in {b.entity for b in typed}]
    stored = {(h, t) for h, r, t in GRAPH.triples("train") if r == "lives"}
    assert {a.entity for a in typed} == {h for h, t in stored if t == "city0"}
    assert reasoner.answer(QUESTION, candidates=[]) == []


def test_the_limit_of_a_text_counts():
    reasoner = random_reasoner(GRAPH)
    text = "SELECT ?c WHERE { <mother0> <child> ?c } LIMIT 2"
    assert len(reasoner.answer(text, 10)) == 2
    assert len(reasoner.answer(text, 1)) == 1
    assert [len(a) for a in reasoner.answer_many([text, QUESTION], 5)] == [2, 5]


def test_known_is_what_follows_from_the_stored_edges():
    known = {}
    for stored in ("train", "valid", "test"):
        reasoner = random_reasoner(GRAPH, stored=stored)
        known[stored] = set()
        for name in GRAPH.entities:
            question = f"?x : child('{name}', ?x)"
            for answer in reasoner.answer(question, 1000, only="known"):
                known[stored].add((name, "child", answer.entity))
    for stored, seen in (("train", 1), ("valid", 2), ("test", 3)):
        edges = {t for split in ("train", "valid", "test")[:seen] for t in GRAPH.triples(split)}
        assert known[stored] == {t for t in edges if t[1] == "child"}
    assert known["train"] < known["test"]


@pytest.mark.parametrize(
    ("query", "error"),
    [
        ("?c : child(mother99, ?c)", UnknownNameError),
        ("?c : child(mother0, ", QuerySyntaxError),
        (["p", "child"], QuerySyntaxError),
        (7, QuerySyntaxError),
        (["p", "nobody", ["e", 0]], UnknownNameError),
    ],
)
def test_what_cannot_be_asked_is_refused(query, error):
    reasoner = random_reasoner(GRAPH)
    with pytest.raises(error):
        reasoner.answer(query)
    with pytest.raises(error):
        reasoner.answer_many([QUESTION, query])


def test_bad_wishes_are_refused():
    reasoner = random_reasoner(GRAPH)
    with pytest.raises(ConfigError, match="-1"):
        reasoner.answer(QUESTION, -1)
    with pytest.raises(ConfigError, match="maybe"):
        reasoner.answer(QUESTION, only="maybe")
    with pytest.raises(UnknownNameError):
        reasoner.answer(QUESTION, candidates=["nobody"])
    with pytest.raises(UnknownNameError):
        reasoner.explain(QUESTION, "nobody")


# Runs


def test_a_run_answers_as_the_model_it_holds(tiny_run: Path):
    reasoner = Reasoner.load(tiny_run)
    assert reasoner.calibration.is_fitted
    answers = reasoner.answer(QUESTION, 5, loops=True)
    distances = distances_by_torch(reasoner, reasoner.reply(QUESTION).query)
    assert [a.distance for a in answers] == pytest.approx(sorted(distances)[:5])


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_the_entity_table_stays_in_its_file(tiny_run: Path):
    reasoner = Reasoner.load(tiny_run)
    address = reasoner.space.points.ctypes.data
    mapped = [
        line
        for line in Path("/proc/self/maps").read_text().splitlines()
        if line.endswith(str(tiny_run / "model.safetensors"))
    ]
    ranges = [[int(end, 16) for end in line.split()[0].split("-")] for line in mapped]
    assert any(low <= address < high for low, high in ranges)


def test_two_processes_answer_from_one_run_at_once(tiny_run: Path):
    command = [sys.executable, "-c", MAIN, "ask", str(tiny_run), QUESTION, "--json"]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    replies = [json.loads(process.communicate(timeout=120)[0]) for process in running]
    expected = [a.to_json() for a in Reasoner.load(tiny_run).answer(QUESTION)]
    assert [reply["answers"] for reply in replies] == [expected, expected]


@pytest.mark.parametrize(
    "name", ["config.json", "model.safetensors", "calibration.json", "graph/train.tsv"]
)
def test_a_damaged_file_is_named(tiny_run: Path, tmp_path: Path, name: str):
    import shutil

    run = tmp_path / "run"
    shutil.copytree(tiny_run, run)
    whole = (run / name).read_bytes()
    (run / name).write_bytes(whole[: len(whole) // 2] + b"\xff\tx")
    with pytest.raises(RunError, match=Path(name).name):
        Reasoner.load(run)


def test_nothing_changes_once_it_is_prepared():
    reasoner, prepared = random_reasoner(GRAPH), random_reasoner(GRAPH)
    prepared.prepare()
    questions = [f"?x : child('{name}', ?x) | lives('{name}', ?x)" for name in GRAPH.entities]
    for only in (None, "predicted"):
        expected = reasoner.answer_many(questions, 6, only=only)
        assert [prepared.answer(question, 6, only=only) for question in questions] == expected
        # On the way, the other one comes to think it worth the while as well.
        assert [reasoner.answer(question, 6, only=only) for question in questions] == expected


def test_threads_do_not_change_answers():
    graph = families(held_out=8)
    alone, several = random_reasoner(graph), random_reasoner(graph)
    alone.space.threads, several.space.threads = 1, 3
    rng = np.random.default_rng(0)
    entities = rng.integers(0, graph.num_entities, (200, 1)).astype(np.int32)
    relations = rng.integers(0, 2 * graph.num_relations, (200, 1)).astype(np.int32)
    skeleton = skeleton_of(alone.reply(QUESTION).query)[0]
    assert list(alone.answer_rows(skeleton, entities, relations, 7)) == list(
        several.answer_rows(skeleton, entities, relations, 7)
    )
