"""The words of a SPARQL text: where they stand, and which of them say too much.

SPARQL's bare words are keywords wherever they stand, so what cannot be asked is
found, with its place, before the text is parsed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from query2box.errors import QuerySyntaxError, UnsupportedQueryError


@dataclass(frozen=True, slots=True)
class Word:
    """A piece of the text that is neither space nor comment."""

    kind: str
    text: str
    position: int


_WORD = re.compile(
    r"""
        (?P<skip>\s+ | \#[^\r\n]*)
      | (?P<iri><[^<>"{}|^`\\\x00-\x20]*>)
      | (?P<string>\"{3}(?:\"{0,2}(?:[^"\\]|\\.))*\"{3} | '{3}(?:'{0,2}(?:[^'\\]|\\.))*'{3}
            | "(?:[^"\\\r\n]|\\.)*" | '(?:[^'\\\r\n]|\\.)*')
      | (?P<variable>[?$]\w+)
      | (?P<name>(?:[^\W\d][\w.-]*)?:(?:[\w:-]|%[0-9A-Fa-f]{2}|\\.|\.(?=[\w:%.\\-]))*)
      | (?P<other>@[A-Za-z-]+ | [+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
      | (?P<bare>\w+)
      | (?P<sign>\^\^ | .)
    """,
    re.VERBOSE | re.DOTALL,
)

_FORM = "only SELECT can be asked, not {}"
_UPDATE = "{} is an update, and a question changes nothing"
_AGGREGATE = "{} is an aggregate, which cannot be asked"
_NEGATION = "{} is negation, which cannot be asked"
_PATH = "the path operator {} cannot be asked; '/', '^' and '|' can"

_REFUSED = {
    **dict.fromkeys(("ASK", "CONSTRUCT", "DESCRIBE"), _FORM),
    **dict.fromkeys(("INSERT", "DELETE", "LOAD", "CLEAR", "DROP", "CREATE"), _UPDATE),
    **dict.fromkeys(("ADD", "MOVE", "COPY", "WITH"), _UPDATE),
    **dict.fromkeys(("COUNT", "SUM", "MIN", "MAX", "AVG", "SAMPLE", "GROUP_CONCAT"), _AGGREGATE),
    **dict.fromkeys(("GROUP", "HAVING"), _AGGREGATE),
    **dict.fromkeys(("MINUS", "EXISTS", "NOT"), _NEGATION),
    "FILTER": "FILTER cannot be asked; a question is made of patterns and UNION only",
    "OPTIONAL": "OPTIONAL cannot be asked; every pattern of a question must hold",
    "ORDER": "ORDER BY cannot be asked; answers come in an order of their own",
    "OFFSET": "OFFSET cannot be asked; use LIMIT",
    "BIND": "BIND cannot be asked; name the entity in a pattern",
    "VALUES": "VALUES cannot be asked; use UNION",
    "AS": "AS cannot be asked; select a variable as it is",
    "GRAPH": "GRAPH cannot be asked; there is one graph only",
    "FROM": "FROM cannot be asked; there is one graph only",
    "SERVICE": "SERVICE cannot be asked; there is one graph only",
    "^^": "a literal with a datatype cannot be asked; write its text alone",
    "!": _NEGATION,
    "*": _PATH,
    "+": _PATH,
    "?": _PATH,
}


def words(text: str) -> list[Word]:
    """The words of a text; those that say more than a question may are refused."""
    found: list[Word] = []
    said: list[str] = []
    for word in _split(text):
        found.append(word)
        keyword = word.text.upper() if word.kind in {"bare", "sign"} else ""
        reason = _REFUSED.get(keyword, "")
        if keyword == "*" and said and said[-1] in {"SELECT", "DISTINCT", "REDUCED"}:
            reason = "SELECT * cannot be asked; name the one variable to look for"
        elif keyword == "SELECT" and keyword in said:
            reason = "a SELECT within a SELECT cannot be asked"
        if reason:
            keyword = f"'{keyword}'" if word.kind == "sign" else keyword
            raise UnsupportedQueryError(reason.format(keyword), text, word.position)
        said.append(keyword)
    return found


def _split(text: str) -> Iterator[Word]:
    for match in _WORD.finditer(text):
        kind = match.lastgroup or ""
        if kind == "sign" and match[0] in "'\"":
            raise QuerySyntaxError("this quote is never closed", text, match.start())
        if kind != "skip":
            yield Word(kind, match[0], match.start())
