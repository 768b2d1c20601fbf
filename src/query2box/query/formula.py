"""The formula language: the paper's notation for EPFO queries, made typable.

    ?u : win('Turing Award', ?p) & citizen(Canada, ?p) & graduate(?p, ?u)

    sentence = variable ":" any
    any      = all { "|" all }                    or the sign of logic
    all      = unit { "&" unit }                  or the sign of logic
    unit     = "(" any ")" | relation "(" term "," term ")"
    relation = [ "^" ] name                       ^ is the inverse relation
    term     = variable | name
    variable = "?" word
    name     = word | quoted text | "#" id        the ids of relations are directed
    word     = letters, digits and _

Every other variable is existential.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, NoReturn, TypeAlias

from query2box.errors import IllegalQueryError, QuerySyntaxError, UnsupportedQueryError
from query2box.query.syntax import (
    And,
    Atom,
    Formula,
    Name,
    Or,
    Sentence,
    Term,
    Var,
    inverse,
    undoubled,
)

MAX_LENGTH = 65_536
"""Characters of a question."""

MAX_PARENTHESES = 64
"""Parentheses within parentheses."""

NEGATION = "negation cannot be asked: a question is made of '&', '|' and 'there exists' only"

Kind: TypeAlias = Literal["variable", "word", "quoted", "id", "sign", "end"]


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the text; `value` is its text without quotes and marks."""

    kind: Kind
    value: str
    position: int


_TOKEN = re.compile(
    r"""\s*(?:
        \?(?P<variable>\w+)
      | (?P<word>\w+)
      | \#(?P<id>[0-9]{1,18})(?!\w)
      | (?P<quoted>'(?:[^'\\]|\\.)*' | "(?:[^"\\]|\\.)*")
      | (?P<sign>[():,&|^!~¬\u2227\u2228])
      | (?P<end>\Z)
    )""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", "'": "'", '"': '"'}
_SIGNS = {"\u2227": "&", "\u2228": "|", "~": "!", "¬": "!"}


def read_formula(text: str) -> Sentence:
    """The sentence that a formula's text says."""
    if len(text) > MAX_LENGTH:
        raise QuerySyntaxError(f"a question has at most {MAX_LENGTH:,} characters")
    return _Parser(text).sentence()


def is_negation(word: str) -> bool:
    """Whether a bare word negates what follows; a relation of that name stands in quotes."""
    return word.lower() == "not"


def _tokens(text: str) -> list[Token]:
    found: list[Token] = []
    position = 0
    while not (found and found[-1].kind == "end"):
        match = _TOKEN.match(text, position)
        if match is None:
            position += len(text[position:]) - len(text[position:].lstrip())
            raise QuerySyntaxError(_unreadable(text[position:]), text, position)
        kind: Kind = match.lastgroup  # type: ignore[assignment]  # one of the named groups
        value, start = match[kind], match.start(kind)
        if kind == "quoted":
            value = _unquoted(value, text, start)
        elif kind == "sign":
            value = _SIGNS.get(value, value)
        found.append(Token(kind, value, start - (kind in {"variable", "id"})))
        position = match.end()
    return found


def _unreadable(rest: str) -> str:
    if rest[0] in "'\"":
        return "this quote is never closed"
    if rest[0] == "?":
        return "a variable is '?' and a word, e.g. ?x"
    if rest[0] == "#":
        return "an id is '#' and a number, e.g. #17"
    return f"{rest[0]!r} cannot stand here; names with such characters stand in quotes"


def _unquoted(quoted: str, text: str, start: int) -> str:
    def escaped(match: re.Match[str]) -> str:
        if match[1] not in _ESCAPES:
            raise QuerySyntaxError(
                f"'\\{match[1]}' means nothing; write '\\\\' for a backslash",
                text,
                start + 1 + match.start(),
            )
        return _ESCAPES[match[1]]

    return _ESCAPE.sub(escaped, quoted[1:-1])


class _Parser:
    """Recursive descent, one method a rule of the grammar."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = _tokens(text)
        self.next = 0
        self.depth = 0

    def sentence(self) -> Sentence:
        start, then = self.token, self.tokens[min(self.next + 1, len(self.tokens) - 1)]
        if start.kind in {"word", "quoted", "id"} and then.value == ":" and then.kind == "sign":
            raise IllegalQueryError(
                f"the target {start.value!r} is a constant; it must be a variable, e.g. ?x",
                self.text,
                start.position,
            )
        if start.kind != "variable":
            self.expected("the target variable and a colon, e.g. '?x :'")
        self.next += 1
        self.take(":")
        formula = self.any()
        if self.token.kind != "end":
            self.expected("'&', '|' or the end")
        return Sentence(Var(start.value, start.position), formula, self.text)

    def any(self) -> Formula:
        parts = [self.all()]
        while self.skip("|"):
            parts.append(self.all())
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def all(self) -> Formula:
        parts = [self.unit()]
        while self.skip("&"):
            parts.append(self.unit())
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def unit(self) -> Formula:
        token = self.token
        if self.sees("!") or (token.kind == "word" and is_negation(token.value)):
            raise UnsupportedQueryError(NEGATION, self.text, token.position)
        if not self.skip("("):
            return self.atom()
        self.depth += 1
        if self.depth > MAX_PARENTHESES:
            raise QuerySyntaxError(
                f"parentheses are nested over {MAX_PARENTHESES} deep", self.text, token.position
            )
        inner = self.any()
        self.take(")", "'&', '|' or ')'")
        self.depth -= 1
        return inner

    def atom(self) -> Atom:
        start = self.token.position
        relation = self.relation()
        self.take("(")
        subject = self.term()
        self.take(",")
        object = self.term()  # noqa: A001 - the word for it
        self.take(")")
        return Atom(relation, subject, object, start)

    def relation(self) -> Name:
        start = self.token.position
        turned = self.skip("^")
        if self.token.kind == "variable":
            raise UnsupportedQueryError(
                "a relation must be named; it cannot be a variable", self.text, self.token.position
            )
        symbol = self.name("a relation, e.g. citizen(Canada, ?x), or '('").symbol
        if isinstance(symbol, str):
            symbol = undoubled(symbol)
            if symbol in {"", "^"}:
                raise QuerySyntaxError("a name cannot be empty", self.text, start)
        return Name(inverse(symbol) if turned else symbol, start)

    def term(self) -> Term:
        token = self.token
        if token.kind == "variable":
            self.next += 1
            return Var(token.value, token.position)
        return self.name("an entity or a variable")

    def name(self, wanted: str) -> Name:
        token = self.token
        if token.kind not in {"word", "quoted", "id"}:
            self.expected(wanted)
        if not token.value:
            raise QuerySyntaxError("a name cannot be empty", self.text, token.position)
        self.next += 1
        return Name(int(token.value) if token.kind == "id" else token.value, token.position)

    # Tokens

    @property
    def token(self) -> Token:
        return self.tokens[self.next]

    def sees(self, sign: str) -> bool:
        return self.token.kind == "sign" and self.token.value == sign

    def skip(self, sign: str) -> bool:
        seen = self.sees(sign)
        self.next += seen
        return seen

    def take(self, sign: str, wanted: str | None = None) -> None:
        if not self.skip(sign):
            self.expected(wanted or f"{sign!r}")

    def expected(self, wanted: str) -> NoReturn:
        token = self.token
        found = "the question ends" if token.kind == "end" else f"{token.value!r} stands"
        raise QuerySyntaxError(f"expected {wanted}, but {found} here", self.text, token.position)
