from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from query2box.graph.name_search import NameSearch

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
small = st.text("abAB ", max_size=6)


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], dict[int, str], list[int]]:
    """Names, labels of some of them, degrees."""
    names = draw(st.lists(small | texts, max_size=12, unique=True))
    labels = {i: draw(small | texts) for i in range(len(names)) if draw(st.booleans())}
    degrees = draw(st.lists(st.integers(0, 5), min_size=len(names), max_size=len(names)))
    return names, labels, degrees


def search(table: tuple[list[str], dict[int, str], list[int]]) -> NameSearch:
    names, labels, degrees = table
    return NameSearch.of(names, labels, np.array(degrees, np.int64))


@given(tables(), small | texts, st.integers(0, 15))
def test_beginnings_come_first_and_all_of_them(table, text, limit) -> None:
    names, labels, degrees = table
    keys = [{name.casefold(), labels.get(i, name).casefold()} for i, name in enumerate(names)]
    folded = text.casefold()
    exact = {i for i, own in enumerate(keys) if folded in own}
    begins = {i for i, own in enumerate(keys) if any(key.startswith(folded) for key in own)}
    found = search(table).find(text, limit)
    assert len(found) == len(set(found)) <= limit
    wanted = sorted(begins, key=lambda i: (i not in exact, -degrees[i], i))
    assert found[: len(wanted)] == wanted[:limit]


def test_misspelt_names_are_found() -> None:
    names = ["Germany", "France", "New York", "Armenia", "Burma", "Germania"]
    found = search((names, {4: "Myanmar"}, [0] * 6))
    assert [names[i] for i in found.find("Gemrany", 2)] == ["Germany", "Germania"]
    assert names[found.find("new yrok", 1)[0]] == "New York"
    assert names[found.find("Mianmar", 1)[0]] == "Burma"
    assert found.find("qqqqqq", 5) == []
    assert found.find("x" * 10_000, 5) == []


@given(tables(), texts, st.integers(0, 15))
def test_what_looks_like_it_is_somebody(table, text, limit) -> None:
    found = search(table).alike(text, limit)
    assert len(found) == len(set(found)) <= limit
    assert set(found) <= set(range(len(table[0])))
