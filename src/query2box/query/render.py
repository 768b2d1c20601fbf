"""Questions as text: the formula or the SPARQL that asks a computation graph."""

from __future__ import annotations

import re

from query2box.query.express import sentence_of
from query2box.query.formula import is_negation
from query2box.query.iris import to_iri
from query2box.query.names import Names, unbind
from query2box.query.nodes import Query, Symbol
from query2box.query.syntax import And, Atom, Formula, Or, Sentence, Term, Var


def render(query: Query, names: Names | None = None) -> str:
    """The query as a formula; `parse` reads it back. `names` put words in place of ids."""
    sentence = _sentence(query, names)
    return f"?{sentence.target.name} : {_formula(sentence.formula)}"


def render_sparql(query: Query, names: Names | None = None) -> str:
    """The query as SPARQL; `parse` reads it back. `names` put words in place of ids."""
    sentence = _sentence(query, names)
    lines = "\n".join(_pattern(sentence.formula, "  "))
    return f"SELECT DISTINCT ?{sentence.target.name} WHERE {{\n{lines}\n}}"


def _sentence(query: Query, names: Names | None) -> Sentence:
    return sentence_of(query if names is None else unbind(query, names))


# Formulas

_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _formula(formula: Formula) -> str:
    match formula:
        case Atom(relation, subject, object):
            return f"{_relation(relation.symbol)}({_term(subject)}, {_term(object)})"
        case And(parts):
            return " & ".join(
                f"({_formula(part)})" if isinstance(part, Or) else _formula(part) for part in parts
            )
        case Or(parts):
            return " | ".join(map(_formula, parts))


def _relation(symbol: Symbol) -> str:
    if isinstance(symbol, str) and symbol.startswith("^"):
        return "^" + _relation(symbol[1:])
    if isinstance(symbol, str) and is_negation(symbol):
        return f"'{symbol}'"
    return _word(symbol)


def _term(term: Term) -> str:
    return f"?{term.name}" if isinstance(term, Var) else _word(term.symbol)


def _word(symbol: Symbol) -> str:
    if isinstance(symbol, int):
        return f"#{symbol}"
    if re.fullmatch(r"\w+", symbol):
        return symbol
    mark = '"' if "'" in symbol and '"' not in symbol else "'"
    escapes = {**_ESCAPES, mark: "\\" + mark}
    return mark + "".join(escapes.get(c, c) for c in symbol) + mark


# SPARQL


def _pattern(formula: Formula, indent: str) -> list[str]:
    match formula:
        case Atom(relation, subject, object):
            return [f"{indent}{_node(subject)} {_predicate(relation.symbol)} {_node(object)} ."]
        case And(parts):
            return [line for part in parts for line in _pattern(part, indent)]
        case Or(parts):
            inner = ["\n".join(_pattern(part, indent + "  ")) for part in parts]
            between = f"\n{indent}}} UNION {{\n"
            return [f"{indent}{{\n{between.join(inner)}\n{indent}}}"]


def _node(term: Term) -> str:
    return f"?{term.name}" if isinstance(term, Var) else f"<{to_iri(term.symbol)}>"


def _predicate(symbol: Symbol) -> str:
    if isinstance(symbol, str) and symbol.startswith("^"):
        return f"^<{to_iri(symbol[1:])}>"
    return f"<{to_iri(symbol)}>"
