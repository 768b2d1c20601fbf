"""Names as IRIs."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from query2box.query.iris import from_iri, to_iri


@given(st.one_of(st.text(min_size=1), st.integers(0, 10**9)))
@example("http://example.org/a%20b")
@example("urn:q2b:x")
@example("#17")
@example("a:b c")
@example("\ud800")
def test_any_name_is_an_iri(symbol):
    iri = to_iri(symbol)
    assert re.fullmatch(r"[a-zA-Z][\w+.-]*:[^\x00-\x20<>\"{}|^`\\]*", iri)
    assert from_iri(iri) == symbol


@pytest.mark.parametrize(
    "iri, name",
    [
        ("http://example.org/a%20b", "http://example.org/a%20b"),
        ("urn:q2b:New%20York", "New York"),
        ("urn:q2b:%2317", "#17"),
        ("urn:q2b:#17", 17),
        ("#17", 17),
        ("New%20York", "New York"),
        ("Z%C3%BCrich", "Zürich"),
        ("a/b", "a/b"),
    ],
)
def test_what_iris_stand_for(iri, name):
    assert from_iri(iri) == name


def test_bytes_that_spell_nothing():
    with pytest.raises(UnicodeDecodeError):
        from_iri("urn:q2b:%FF")
