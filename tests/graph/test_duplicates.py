from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from query2box.errors import DataError
from query2box.graph.duplicates import drop_duplicates

EDGES = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1), st.integers(0, 2)))


@given(train=EDGES, valid=EDGES, test=EDGES)
def test_an_edge_stays_where_it_comes_first(train: list, valid: list, test: list) -> None:
    splits = {"train": train, "valid": valid, "test": test}
    rows = {s: np.array(edges, np.int32).reshape(-1, 3) for s, edges in splits.items()}
    kept, dropped = drop_duplicates(rows, 3, 2)
    seen: set[tuple[int, int, int]] = set()
    for split, edges in splits.items():
        expected = [e for e in dict.fromkeys(edges) if e not in seen]
        seen |= set(edges)
        assert list(map(tuple, kept[split].tolist())) == expected
        assert dropped[split] == len(edges) - len(expected)


def test_a_graph_too_large_to_number_its_edges() -> None:
    with pytest.raises(DataError, match="below 2"):
        drop_duplicates({"train": np.zeros((1, 3), np.int32)}, 2**31, 2)
