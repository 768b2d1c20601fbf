"""Whatever is asked, there is an answer in time: never a 5xx, never a traceback.

`Q2B_FUZZ=10000` tries that many questions of each kind.
"""

from __future__ import annotations

import json
import os
import time

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from query2box.query.render import render, render_sparql
from query2box.serving.limits import Limits
from strategies import queries

EXAMPLES = int(os.environ.get("Q2B_FUZZ", "60"))
SLACK = 20.0
"""Seconds that a loaded machine may add to the server's own limit."""

NAMES = st.sampled_from(
    ["mother0", "child0.1", "city0", "child", "born", "lives", "nobody", "#3", "'a b'", "?t", "?x"]
)
FORMULA_WORDS = st.one_of(
    NAMES, st.sampled_from([" ", ":", "(", ")", ",", "&", "|", "^", "~", "?", '"', "\\", "\n"])
)
SPARQL_WORDS = st.one_of(
    NAMES.map("<{}>".format),
    st.sampled_from(
        ["SELECT", "DISTINCT", "WHERE", "{", "}", ".", ";", ",", "UNION", "LIMIT", "PREFIX", "?t",
         "?probability", "?x", "^", "/", "|", "*", "(", ")", "'child'", "5", "<", ">", "a", "[]",
         "OPTIONAL", "FILTER", "#", "urn:q2b:", "%ff", "\x00"]
    ),
)  # fmt: skip


def scrambled(text: str, place: int, piece: str) -> str:
    """A text with a piece put in, or what stands there cut out."""
    place %= len(text) + 1
    return text[:place] + piece + text[place + (piece == "") :]


def texts(words: st.SearchStrategy[str], whole: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Right questions, questions with a mistake, heaps of words, and any text at all."""
    return st.one_of(
        whole,
        st.builds(scrambled, whole, st.integers(0, 300), words | st.just("")),
        st.lists(words, max_size=30).map(" ".join),
        st.text(max_size=100),
    )


formulas = texts(FORMULA_WORDS, queries().map(render))
sparql = texts(SPARQL_WORDS, queries().map(render_sparql)) | SPARQL_WORDS.map(
    "SELECT ?t WHERE {{ {} }}".format
)
shapes = st.recursive(
    st.one_of(NAMES, st.integers(-1, 9), st.none(), st.booleans(), st.floats()),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.builds(lambda head, rest: [head, *rest], st.sampled_from("epiuv"), st.lists(inner))
    ),
    max_leaves=12,
).filter(lambda value: isinstance(value, list))


def check(response: httpx.Response, began: float) -> None:
    assert response.status_code < 500, response.text
    assert time.monotonic() - began < Limits().seconds + SLACK
    document = response.json()
    if response.status_code == 200:
        assert "answers" in document or "results" in document
    else:
        assert response.status_code in {400, 413, 422}
        assert document["error"]["message"]
        assert "Traceback" not in response.text


@pytest.fixture(scope="module")
def own(server: str):
    with httpx.Client(base_url=server, timeout=120) as client:
        yield client


def post(own: httpx.Client, path: str, body: object) -> None:
    began = time.monotonic()
    headers = {"content-type": "application/json"}
    check(own.post(path, content=json.dumps(body), headers=headers), began)


@given(formulas, st.integers(0, 20))
@settings(max_examples=EXAMPLES)
def test_any_formula(own, text: str, k: int) -> None:
    post(own, "/api/answer", {"query": text, "k": k})


@given(shapes)
@settings(max_examples=EXAMPLES)
def test_any_nodes(own, nodes: list[object]) -> None:
    post(own, "/api/answer", {"query": nodes})


@given(sparql)
@settings(max_examples=EXAMPLES)
def test_any_sparql(own, text: str) -> None:
    post(own, "/api/answer", {"query": text})
    began = time.monotonic()
    headers = {"content-type": "application/sparql-query"}
    body = text.encode("utf-8", "surrogatepass")
    check(own.post("/sparql", content=body, headers=headers), began)
