"""SPARQL: a SELECT of one variable over basic graph patterns, UNION and the paths `/ ^ |`.

rdflib parses what `sparql_plain` does not; what its algebra says is rewritten as a
sentence, so that SPARQL and a formula of the same question have the same computation graph.
"""

from __future__ import annotations

import logging
import re
import warnings
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from itertools import count
from threading import Lock
from typing import Any

from query2box.errors import QueryError, QuerySyntaxError, UnsupportedQueryError
from query2box.query.sparql_names import name_of_iri, not_empty
from query2box.query.sparql_plain import read_plain
from query2box.query.sparql_words import Word, words
from query2box.query.syntax import (
    And,
    Atom,
    Formula,
    Name,
    Or,
    Sentence,
    Term,
    Var,
    variables,
)

MAX_LENGTH = 16_384
"""Characters of a SPARQL text; rdflib needs a second or two for that many."""

_PARSING = Lock()  # which warnings are heard is the whole process's business, not a thread's


def read_sparql(text: str, also_selected: Collection[str] = ()) -> Sentence:
    """The sentence that a SPARQL text says.

    The variables `also_selected` may be selected beside the target.
    """
    if len(text) > MAX_LENGTH:
        raise QuerySyntaxError(f"a SPARQL question has at most {MAX_LENGTH:,} characters")
    found = words(text)
    return read_plain(text, found, also_selected) or read_any(text, found, also_selected)


def read_any(text: str, found: list[Word], also_selected: Collection[str] = ()) -> Sentence:
    """The sentence that a SPARQL text of these words says, by rdflib."""
    with _PARSING, _quiet():
        return _Reader(text, found).sentence(also_selected)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep to ourselves what rdflib thinks of odd IRIs and of its own parser."""

    def hide(_: logging.LogRecord) -> bool:
        return False

    logger = logging.getLogger("rdflib.term")
    logger.addFilter(hide)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.removeFilter(hide)


class _Reader:
    def __init__(self, text: str, found: list[Word]) -> None:
        self.text = text
        self.words = found
        self.prefixes: dict[str, str] = {}
        self.base: str | None = None
        self.places: dict[str, int] = {}
        self.blank: dict[Any, Var] = {}
        self.fresh = count(1)

    def sentence(self, also_selected: Collection[str]) -> Sentence:
        algebra = self.algebra()
        target = self.target(algebra.PV, also_selected)
        self.places = self.found_places()
        node, limit = algebra.p, None
        while node.name in {"Slice", "Distinct", "Reduced", "Project"}:
            if node.name == "Slice":
                limit = int(node.length)
            node = node.p
        formula = self.conjunction(node)
        for name in variables(formula).keys() & set(also_selected):
            raise UnsupportedQueryError(
                f"?{name} is the answer's own; call the pattern's variable otherwise",
                self.text,
                self.places.get(f"?{name}", 0),
            )
        selected = tuple(dict.fromkeys(map(str, algebra.PV)))
        return Sentence(target, formula, self.text, limit, selected)

    def target(self, selected: list[Any], also_selected: Collection[str]) -> Var:
        names = [name for name in dict.fromkeys(map(str, selected)) if name not in also_selected]
        places = {w.text[1:]: w.position for w in reversed(self.words) if w.kind == "variable"}
        if len(names) != 1:
            raise UnsupportedQueryError(
                f"a question selects one variable, not {len(names)}",
                self.text,
                places.get(names[1], 0) if names else 0,
            )
        return Var(names[0], places.get(names[0]))

    # Parsing

    def algebra(self) -> Any:
        """What rdflib makes of the text."""
        from pyparsing import ParseBaseException
        from rdflib.plugins.sparql.algebra import translateQuery, traverse
        from rdflib.plugins.sparql.parser import parseQuery

        try:
            # The parser would make eight spaces of a tab, and lose the place.
            tree = parseQuery(self.text.replace("\t", " "))
            self.read_prologue(tree[0])
            # rdflib forgets the first of two prefixes for one namespace.
            tree[1] = traverse(tree[1], visitPost=self.expanded)
            return translateQuery(tree).algebra
        except QueryError:
            raise
        except ParseBaseException as error:
            raise QuerySyntaxError(
                "this cannot be read as SPARQL", self.text, min(error.loc, len(self.text))
            ) from None
        except RecursionError:
            raise QuerySyntaxError(
                "the SPARQL text is nested too deeply, or a group of it has too many patterns"
            ) from None
        except Exception as error:  # noqa: BLE001 - rdflib raises it as it is
            message = f"this cannot be read as SPARQL: {error}"
            raise QuerySyntaxError(message, self.text, 0) from None

    def read_prologue(self, declarations: Any) -> None:
        for declaration in declarations:
            iri = self.absolute(str(declaration.iri))
            if declaration.name == "Base":
                self.base = iri
            else:
                self.prefixes[declaration.prefix or ""] = iri

    def absolute(self, iri: str) -> str:
        from rdflib import URIRef

        return iri if ":" in iri else str(URIRef(iri, base=self.base))

    def expanded(self, node: Any) -> Any:
        """The IRI of a prefixed name; other parts of the parse tree stay."""
        from rdflib import URIRef

        if getattr(node, "name", None) != "pname":
            return None
        return URIRef(self.full_name(node.prefix or "", node.localname or ""))

    def full_name(self, prefix: str, local: str) -> str:
        if prefix not in self.prefixes:
            place = next((w.position for w in self.words if w.text.startswith(f"{prefix}:")), 0)
            raise QuerySyntaxError(f"the prefix '{prefix}:' is not declared", self.text, place)
        return self.prefixes[prefix] + re.sub(r"\\(.)", r"\1", local)

    def found_places(self) -> dict[str, int]:
        """Where each variable, IRI and literal stands first."""
        found: dict[str, int] = {}
        for word in self.words:
            key = word.text
            if word.kind == "variable":
                key = f"?{word.text[1:]}"
            elif word.kind == "iri":
                key = self.absolute(word.text[1:-1])
            elif word.kind == "name" and word.text.partition(":")[0] in self.prefixes:
                prefix, _, local = word.text.partition(":")
                key = self.full_name(prefix, local)
            elif word.kind == "string":
                key = word.text.strip(word.text[0])
            found.setdefault(key, word.position)
        return found

    # Patterns

    def conjunction(self, node: Any) -> Formula:
        parts: list[Formula] = []
        for part in _flat(node, "Join"):
            if part.name == "BGP":
                parts += (self.path(self.term(s), p, self.term(o)) for s, p, o in part.triples)
            elif part.name == "Union":
                parts.append(Or(tuple(self.conjunction(p) for p in _flat(part, "Union"))))
            else:
                raise UnsupportedQueryError(f"{part.name} cannot be asked", self.text, 0)
        if not parts:
            raise QuerySyntaxError("a group has no pattern", self.text, len(self.text))
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def path(self, subject: Term, path: Any, object: Term) -> Formula:  # noqa: A002
        """The formula of a property path; a sequence goes over variables of its own."""
        from rdflib import URIRef
        from rdflib.paths import AlternativePath, InvPath, SequencePath

        if isinstance(path, URIRef):
            relation = self.name(str(path), relation=True)
            return Atom(relation, subject, object, relation.position)
        if isinstance(path, InvPath):
            return self.path(object, path.arg, subject)
        if isinstance(path, AlternativePath):
            return Or(tuple(self.path(subject, part, object) for part in path.args))
        if isinstance(path, SequencePath):
            between = [Var(f"path {next(self.fresh)}") for _ in path.args[1:]]
            steps = zip([subject, *between], path.args, [*between, object], strict=True)
            return And(tuple(self.path(start, part, end) for start, part, end in steps))
        raise UnsupportedQueryError(
            "a relation must be named; it cannot be a variable",
            self.text,
            self.places.get(f"?{path}", 0),
        )

    def term(self, term: Any) -> Term:
        from rdflib import BNode, Literal, Variable

        if isinstance(term, Variable):
            return Var(str(term), self.places.get(f"?{term}"))
        if isinstance(term, BNode):
            return self.blank.setdefault(term, Var(f"blank {len(self.blank) + 1}"))
        if isinstance(term, Literal):
            place = self.places.get(str(term))
            return Name(not_empty(str(term), self.text, place), place)
        return self.name(str(term))

    def name(self, iri: str, relation: bool = False) -> Name:
        return name_of_iri(iri, self.text, self.places.get(iri), relation)


def _flat(node: Any, name: str) -> Iterator[Any]:
    """The operands of nested joins or unions, in the order of the text."""
    pending = [node]
    while pending:
        part = pending.pop()
        if part.name == name:
            pending += (part.p2, part.p1)
        else:
            yield part
