"""Questions: nodes, two languages to write them in, and their normal form."""

from __future__ import annotations

from query2box.query.codec import from_json, to_json
from query2box.query.dnf import MAX_DISJUNCTS, count_disjuncts, disjuncts, is_dnf, to_dnf
from query2box.query.language import (
    Question,
    is_sparql,
    parse,
    parse_formula,
    parse_question,
    parse_sparql,
)
from query2box.query.names import Names, bind, unbind
from query2box.query.nodes import (
    Anchor,
    Intersection,
    Projection,
    Query,
    Symbol,
    Union,
    Variable,
    intersection,
    projection,
    shape,
    union,
)
from query2box.query.render import render, render_sparql
from query2box.query.skeleton import (
    STRUCTURES,
    TRAINING_STRUCTURES,
    instantiate,
    skeleton_of,
    structure,
    structure_name,
)
from query2box.query.variables import canonical

__all__ = [
    "MAX_DISJUNCTS",
    "STRUCTURES",
    "TRAINING_STRUCTURES",
    "Anchor",
    "Intersection",
    "Names",
    "Projection",
    "Query",
    "Question",
    "Symbol",
    "Union",
    "Variable",
    "bind",
    "canonical",
    "count_disjuncts",
    "disjuncts",
    "from_json",
    "instantiate",
    "intersection",
    "is_dnf",
    "is_sparql",
    "parse",
    "parse_formula",
    "parse_question",
    "parse_sparql",
    "projection",
    "render",
    "render_sparql",
    "shape",
    "skeleton_of",
    "structure",
    "structure_name",
    "to_dnf",
    "to_json",
    "unbind",
    "union",
]
