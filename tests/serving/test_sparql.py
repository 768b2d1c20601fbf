"""The SPARQL protocol, with SPARQLWrapper as the client that knows nothing of us."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from SPARQLWrapper import CSV, GET, JSON, POST, POSTDIRECTLY, TSV, SPARQLWrapper
from SPARQLWrapper.SPARQLExceptions import QueryBadFormed

from query2box.answering.answers import Answer
from query2box.answering.reasoner import Reasoner
from query2box.query.iris import from_iri
from query2box.query.language import parse
from query2box.query.nodes import Anchor, projection
from query2box.serving.results import FORMATS, entity_iri, preferred, to_csv, to_tsv

QUERY = "SELECT ?c WHERE { <mother0> <child> ?c } LIMIT 5"
RICH = "SELECT ?probability ?c ?known WHERE { <mother0> <child> ?c } LIMIT 5"
JSON_RESULTS = "application/sparql-results+json"


@pytest.fixture(scope="module")
def reasoner(tiny_run: Path) -> Reasoner:
    return Reasoner.load(tiny_run)


def wrapper(server: str, query: str, *, kind: str = JSON, method: str = GET) -> SPARQLWrapper:
    client = SPARQLWrapper(f"{server}/sparql", returnFormat=kind)
    client.setTimeout(60)
    client.setQuery(query)
    client.setMethod(method)
    if method == POST:
        client.setRequestMethod(POSTDIRECTLY)
    return client


def names(found: Any) -> list[Any]:
    return [from_iri(row["c"]["value"]) for row in found["results"]["bindings"]]


@pytest.mark.parametrize("method", [GET, POST])
def test_a_known_client_gets_the_answers(server, reasoner, method) -> None:
    found = wrapper(server, QUERY, method=method).queryAndConvert()
    assert found["head"]["vars"] == ["c"]
    expected = [answer.entity for answer in reasoner.answer(QUERY, 5)]
    assert names(found) == expected
    assert all(row["c"]["type"] == "uri" for row in found["results"]["bindings"])


def test_a_form_is_read(client, reasoner) -> None:
    form = {"query": QUERY, "default-graph-uri": "urn:q2b:predicted"}
    found = client.post("/sparql", data=form, headers={"accept": JSON_RESULTS}).json()
    assert names(found) == [a.entity for a in reasoner.answer(QUERY, 5, only="predicted")]


def test_probabilities_and_what_is_known_are_variables(server, reasoner) -> None:
    found = wrapper(server, RICH).queryAndConvert()
    assert found["head"]["vars"] == ["probability", "c", "known"]
    for row, answer in zip(found["results"]["bindings"], reasoner.answer(QUERY, 5), strict=True):
        assert float(row["probability"]["value"]) == pytest.approx(answer.probability, rel=1e-4)
        assert row["probability"]["datatype"].endswith("#double")
        assert row["known"]["value"] == str(answer.known).lower()


def test_known_answers_are_exact_and_all_of_them(server, reasoner) -> None:
    text = "SELECT ?c { { ?c <lives> <city0> } UNION { ?c <born> <city0> } }"
    client = wrapper(server, text)
    client.addDefaultGraph("urn:q2b:known")
    expected = {a.entity for a in reasoner.answer(text, 1000, only="known")}
    assert set(names(client.queryAndConvert())) == expected
    assert expected
    # Of all answers there are more than anybody wants.
    everybody = reasoner.graph.num_entities
    assert len(names(wrapper(server, text).queryAndConvert())) == everybody


def test_csv_and_tsv(server, reasoner) -> None:
    expected = reasoner.answer(QUERY, 5)
    text = wrapper(server, RICH, kind=CSV).queryAndConvert().decode()
    head, *rows = csv.reader(io.StringIO(text))
    assert head == ["probability", "c", "known"]
    assert [from_iri(row[1]) for row in rows] == [answer.entity for answer in expected]
    text = wrapper(server, RICH, kind=TSV).queryAndConvert().decode()
    head, *rows = (line.split("\t") for line in text.splitlines())
    assert head == ["?probability", "?c", "?known"]
    assert [from_iri(row[1][1:-1]) for row in rows] == [answer.entity for answer in expected]
    assert all("e" in row[0] for row in rows)


def test_what_is_wrong_is_told(server, client) -> None:
    with pytest.raises(QueryBadFormed, match="cannot be read as SPARQL"):
        wrapper(server, "SELECT ?c WHERE { <mother0> <child> }").queryAndConvert()

    def error(**parameters: Any) -> tuple[int, str]:
        response = client.get("/sparql", params=parameters)
        return response.status_code, response.json()["error"]["message"]

    assert error(query="?c : child(mother0, ?c)") == (400, "this does not begin like SPARQL")
    assert error()[0] == 422
    status, message = error(query=QUERY, **{"default-graph-uri": "urn:nobody"})
    assert (status, "urn:nobody" in message) == (400, True)
    assert error(query=QUERY.replace("5", "5000"))[0] == 422
    bound = "SELECT ?c ?probability { <mother0> <child> ?c . ?c <born> ?probability }"
    assert error(query=bound)[0] == 422
    assert "?probability is the answer's own" in error(query=bound)[1]
    page = client.get("/sparql", params={"query": QUERY}, headers={"accept": "text/html"})
    assert page.status_code == 406
    assert client.post("/sparql", json={"query": QUERY}).status_code == 415
    assert client.post("/sparql", data={"why": QUERY}).status_code == 400
    headers = {"content-type": "application/sparql-query"}
    assert client.post("/sparql", content=b"\xff", headers=headers).status_code == 400


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        (None, JSON_RESULTS),
        ("*/*", JSON_RESULTS),
        ("text/csv", "text/csv"),
        ("text/*", "text/csv"),
        ("text/*;q=0.5, text/csv;q=0.1", "text/tab-separated-values"),
        ("application/json", "application/json"),
        ("text/csv;q=0.4, text/tab-separated-values;q=0.9", "text/tab-separated-values"),
        ("*/*;q=0.1, text/csv", "text/csv"),
        ("application/sparql-results+xml", None),
        ("text/csv;q=0", None),
        ("text/csv;q=x", None),
        ("", JSON_RESULTS),
    ],
)
def test_the_client_s_wish_counts(accept, expected) -> None:
    assert preferred(accept) == expected


@given(st.text(max_size=60))
def test_any_header_is_understood(accept: str) -> None:
    assert preferred(accept) in {None, *FORMATS}


name = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12) | st.sampled_from(
    ["a,b", 'say "x"', "a b", "http://x/a,b", "urn:q2b:x", "#17", "Cat:Foo", "^r"]
)


@given(name)
def test_terms_lead_back_to_their_entities(entity: str) -> None:
    """What a result says can be asked: in each format the term is the entity's own."""
    answer = Answer(entity, entity, 0.5, 1e-7, False, 3)
    variables = ["x", "probability"]
    rows = list(csv.reader(io.StringIO(to_csv(variables, [answer]), newline="")))
    assert rows == [variables, [entity_iri(answer), "1e-07"]]
    line = to_tsv(variables, [answer]).split("\n")[1]
    term, probability = line.split("\t")
    assert float(probability) == answer.probability
    asked = parse(f"SELECT ?y WHERE {{ {term} <r> ?y }}")
    assert asked == projection("r", Anchor(entity))
