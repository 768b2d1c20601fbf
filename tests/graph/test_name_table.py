from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from query2box.graph.interning import Interner, UnlistedNameError
from query2box.graph.name_table import SPARE_BYTES, NameTable
from query2box.graph.vocabulary import Vocabulary

NAMES = st.one_of(
    st.text("ab\x00é", min_size=1, max_size=20),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1),
    # Around the length from which on names are treated otherwise.
    st.builds(lambda n, end: "x" * n + end, st.integers(120, 140), st.sampled_from("ab")),
)
BATCHES = st.lists(st.lists(NAMES, max_size=30), max_size=5)


def look_up(table: NameTable, names: list[str], add: bool = True) -> list[int]:
    encoded = [name.encode() for name in names]
    lengths = np.array([len(name) for name in encoded], np.int64)
    starts = np.cumsum(lengths) - lengths
    return table.ids(b"".join(encoded) + bytes(SPARE_BYTES), starts, lengths, add).tolist()


@pytest.mark.parametrize("secret", [None, 0])
@given(batches=BATCHES, asked=st.lists(NAMES))
def test_ids_are_those_of_a_dict(
    secret: int | None, batches: list[list[str]], asked: list[str]
) -> None:
    """Also when the hash is so bad that every name collides with every other."""
    table = NameTable()
    if secret is not None:
        table._secret = np.uint64(secret)
    expected: dict[str, int] = {}
    for batch in batches:
        assert look_up(table, batch) == [expected.setdefault(n, len(expected)) for n in batch]
    assert table.names == list(expected)
    assert look_up(table, asked, add=False) == [expected.get(n, -1) for n in asked]
    assert table.names == list(expected)


def test_many_names() -> None:
    table = NameTable()
    names = [f"entity/{i * 7919 % 100_003}" for i in range(150_000)]
    expected: dict[str, int] = {}
    wanted = [expected.setdefault(name, len(expected)) for name in names]
    found = [i for at in range(0, len(names), 9973) for i in look_up(table, names[at : at + 9973])]
    assert found == wanted


LISTED = ["a", "b" * 200, "c"]


@given(st.lists(st.tuples(st.sampled_from([*LISTED, "d"]), st.sampled_from("rs"))))
def test_names_that_are_not_listed(edges: list[tuple[str, str]]) -> None:
    interner = Interner(Vocabulary("entity", LISTED), None)
    batch = "".join(f"a\t{relation}\t{tail}\n" for tail, relation in edges).encode()
    if any(tail == "d" for tail, _ in edges):
        with pytest.raises(UnlistedNameError):
            interner.rows([batch])
    elif edges:
        rows = interner.rows([batch])
        assert [LISTED[tail] for tail in rows[:, 2]] == [tail for tail, _ in edges]
        entities, relations = interner.vocabularies()
        assert list(entities) == LISTED
        assert list(relations) == list(dict.fromkeys(relation for _, relation in edges))
    assert interner.unlisted("a", "any", "d") == ("entity", "d")
    assert interner.unlisted("a", "any", "c") is None
