"""Plain SPARQL, read without rdflib, which takes ten times as long as all the rest.

What people and programs write most of the time: patterns of IRIs, prefixed names,
plain strings and variables, groups, UNION, the paths `/ ^ |` and LIMIT, all in ASCII.
Whatever is not as plain, and whatever is wrong, is left to `sparql`, which knows the
whole grammar and says what is wrong with a text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from itertools import count
from typing import TypeAlias

from query2box.query.sparql_names import name_of_iri, not_empty
from query2box.query.sparql_words import Word
from query2box.query.syntax import And, Atom, Formula, Name, Or, Sentence, Term, Var, variables

MAX_DEPTH = 32
"""Brackets within brackets."""

_PLAIN = re.compile(r"[\t\n\r\x20-\x7e]*")
_PREFIXED = re.compile(r"((?:[A-Za-z][A-Za-z0-9_-]*)?):([A-Za-z0-9_][A-Za-z0-9_-]*)")
_PREFIX = re.compile(r"((?:[A-Za-z][A-Za-z0-9_-]*)?):")
_NUMBER = re.compile("[0-9]{1,9}")
_KEYWORDS = {"select", "distinct", "reduced", "where", "limit", "union", "prefix"}

Path: TypeAlias = Callable[[Term, Term], Formula]
"""What holds of two ends between which a path leads."""


class _NotPlainError(Exception):
    """The text has to be read by somebody who knows the whole grammar."""


def read_plain(text: str, words: list[Word], also_selected: Collection[str]) -> Sentence | None:
    """The sentence that a plain SPARQL text says; None where it is not plain.

    Raises what `sparql` would say of names that spell nothing.
    """
    # A backslash may stand for any letter anywhere, and a comment hides from `words`.
    if not _PLAIN.fullmatch(text) or "\\" in text:
        return None
    if text.count("#") != sum(word.text.count("#") for word in words):
        return None
    try:
        return _Reader(text, words).sentence(also_selected)
    except _NotPlainError:
        return None


class _Reader:
    def __init__(self, text: str, words: list[Word]) -> None:
        self.text = text
        self.words = words
        self.at = 0
        self.depth = 0
        self.prefixes: dict[str, str] = {}
        self.fresh = count(1)

    # Words

    @property
    def word(self) -> str:
        """The next word: a sign or a keyword in small letters, else what kind it is of."""
        if self.at == len(self.words):
            return "end"
        word = self.words[self.at]
        if word.kind == "bare":
            keyword = word.text.lower()
            return keyword if keyword in _KEYWORDS else "bare"
        return word.text if word.kind == "sign" else word.kind

    def take(self) -> Word:
        """The next word, whatever it is."""
        if self.at == len(self.words):
            raise _NotPlainError
        self.at += 1
        return self.words[self.at - 1]

    def skip(self, *wanted: str) -> bool:
        """Pass over the next word if it is one of these."""
        found = self.word in wanted
        self.at += found
        return found

    def expect(self, *wanted: str) -> Word:
        """The next word, which has to be one of these."""
        if self.word not in wanted:
            raise _NotPlainError
        return self.take()

    # The text as a whole

    def sentence(self, also_selected: Collection[str]) -> Sentence:
        while self.skip("prefix"):
            self.declaration()
        self.expect("select")
        self.skip("distinct", "reduced")
        selected: dict[str, Var] = {}
        while self.word == "variable":
            found = self.variable()
            selected.setdefault(found.name, found)
        targets = [found for name, found in selected.items() if name not in also_selected]
        if len(targets) != 1:
            raise _NotPlainError
        self.skip("where")
        formula = self.group()
        limit = None
        if self.skip("limit"):
            number = self.expect("other").text
            if not _NUMBER.fullmatch(number):
                raise _NotPlainError
            limit = int(number)
        if self.word != "end" or variables(formula).keys() & set(also_selected):
            raise _NotPlainError
        return Sentence(targets[0], formula, self.text, limit, tuple(selected))

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise _NotPlainError

    def declaration(self) -> None:
        prefix = _PREFIX.fullmatch(self.expect("name").text)
        if prefix is None:
            raise _NotPlainError
        self.prefixes[prefix[1]] = self.expect("iri").text[1:-1]

    # Patterns

    def group(self) -> Formula:
        """`{ ... }`; patterns may be separated by dots, triples have to be."""
        self.expect("{")
        self.deeper()
        parts: list[Formula] = []
        after_triples = False
        while not self.skip("}"):
            if self.word == "{":
                parts.append(self.either())
                self.skip(".")
                after_triples = False
            elif after_triples:
                raise _NotPlainError
            else:
                parts += self.triples()
                after_triples = not self.skip(".")
        self.depth -= 1
        if not parts:
            raise _NotPlainError
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def either(self) -> Formula:
        parts = [self.group()]
        while self.skip("union"):
            parts.append(self.group())
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def triples(self) -> list[Formula]:
        """A subject, its relations behind semicolons, their objects behind commas."""
        subject = self.term()
        found: list[Formula] = []
        while True:
            path = self.path()
            found.append(path(subject, self.term()))
            while self.skip(","):
                found.append(path(subject, self.term()))
            if not self.skip(";"):
                return found
            while self.skip(";"):
                pass
            if self.word in {".", "}", "{"}:
                return found

    # Paths

    def path(self) -> Path:
        parts = [self.sequence()]
        while self.skip("|"):
            parts.append(self.sequence())
        if len(parts) == 1:
            return parts[0]
        return lambda start, end: Or(tuple(part(start, end) for part in parts))

    def sequence(self) -> Path:
        steps = [self.step()]
        while self.skip("/"):
            steps.append(self.step())
        if len(steps) == 1:
            return steps[0]

        def sequence(start: Term, end: Term) -> Formula:
            between = [Var(f"path {next(self.fresh)}") for _ in steps[1:]]
            ways = zip([start, *between], steps, [*between, end], strict=True)
            return And(tuple(step(here, there) for here, step, there in ways))

        return sequence

    def step(self) -> Path:
        if self.skip("^"):
            turned = self.relation()
            return lambda start, end: turned(end, start)
        return self.relation()

    def relation(self) -> Path:
        if not self.skip("("):
            name = self.name(self.expect("iri", "name"), relation=True)
            return lambda start, end: Atom(name, start, end, name.position)
        self.deeper()
        path = self.path()
        self.expect(")")
        self.depth -= 1
        return path

    # Terms

    def term(self) -> Term:
        if self.word == "variable":
            return self.variable()
        if self.word != "string":
            return self.name(self.expect("iri", "name"))
        word = self.take()
        name = word.text[1:-1]
        if name[:1] == name[-1:] == word.text[0] or self.word == "other":
            raise _NotPlainError  # three quotes, or a language behind them
        return Name(not_empty(name, self.text, word.position), word.position)

    def variable(self) -> Var:
        word = self.take()
        return Var(word.text[1:], word.position)

    def name(self, word: Word, relation: bool = False) -> Name:
        iri = word.text[1:-1]
        if word.kind == "name":
            parts = _PREFIXED.fullmatch(word.text)
            if parts is None or parts[1] not in self.prefixes:
                raise _NotPlainError
            iri = self.prefixes[parts[1]] + parts[2]
        return name_of_iri(iri, self.text, word.position, relation)
