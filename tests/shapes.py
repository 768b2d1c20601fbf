"""Query shapes for tests: the paper's and others that nobody has named."""

from __future__ import annotations

from query2box.query.skeleton import STRUCTURES

UNNAMED = (
    "i(p(e),p(e),p(e),p(e))",  # four operands
    "i(p(v1(p(e))),p(v1(p(e))))",  # a shared variable
    "u(i(p(e),p(e)),p(p(e)))",  # a union of unlike branches
    "p(i(p(e),u(p(e),p(e))))",  # a union deep inside
    "p(p(p(p(e))))",
)
SHAPES = (*STRUCTURES, *UNNAMED)
