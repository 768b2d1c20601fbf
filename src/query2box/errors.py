"""Everything this package raises on purpose.

    Query2boxError
    ├── DataError             a file or a graph is not what it should be
    ├── ConfigError           an option has no such name or no such value
    ├── RunError              a run folder is missing, damaged or of another dataset
    └── QueryError            a question cannot be asked
        ├── QuerySyntaxError      its text cannot be read
        ├── UnsupportedQueryError its text can be read, but says more than and, or, exists
        ├── IllegalQueryError     it has no computation graph
        ├── TooManyDisjunctsError its disjunctive normal form is too large
        └── UnknownNameError      it names an entity or a relation the graph lacks
            └── AmbiguousNameError    it names several entities at once

Each surface translates them once: one line and exit code 2 on the command
line, a 4xx JSON body over HTTP.
"""

from __future__ import annotations

from pathlib import Path


class Query2boxError(Exception):
    """What a user can do something about; its text is one clear sentence."""


class DataError(Query2boxError):
    """A file or a graph is not what it should be."""

    def __init__(self, message: str, path: str | Path | None = None, line: int | None = None):
        self.path = None if path is None else str(path)
        self.line = line
        place = "" if path is None else f"{path}: " if line is None else f"{path}:{line}: "
        super().__init__(place + message)


class ConfigError(Query2boxError):
    """An option has no such name or no such value."""


class RunError(Query2boxError):
    """A run folder is missing, damaged or of another dataset."""


class QueryError(Query2boxError):
    """A question cannot be asked; `position` is where in `text` the trouble starts."""

    def __init__(self, message: str, text: str | None = None, position: int | None = None):
        self.message = message
        self.text = text
        self.position = position
        super().__init__(message)

    def at(self, text: str, position: int) -> QueryError:
        """Say where in the text the trouble starts, unless that is known already."""
        if self.position is None:
            self.text, self.position = text, position
        return self

    def pointer(self) -> str | None:
        """The line of the text in question and a caret under the place, or None."""
        if self.text is None or self.position is None:
            return None
        start = self.text.rfind("\n", 0, self.position) + 1
        end = self.text.find("\n", self.position)
        line = self.text[start : len(self.text) if end < 0 else end]
        return f"{line}\n{' ' * (self.position - start)}^"


class QuerySyntaxError(QueryError):
    """The text of a question cannot be read."""


class UnsupportedQueryError(QueryError):
    """The question says more than "and", "or" and "there exists"."""


class IllegalQueryError(QueryError):
    """The question has no computation graph from anchors to one target."""


class TooManyDisjunctsError(QueryError):
    """The question's disjunctive normal form is larger than allowed."""

    def __init__(self, count: int, limit: int):
        self.count = count
        self.limit = limit
        super().__init__(
            f"the question has {count:,} disjuncts in disjunctive normal form; "
            f"at most {limit:,} are allowed"
        )


class UnknownNameError(QueryError):
    """The question names something that the graph lacks."""

    def __init__(self, kind: str, name: str, suggestions: tuple[str, ...] = ()):
        self.kind = kind
        self.name = name
        self.suggestions = suggestions
        hint = f"; did you mean {_any_of(suggestions)}?" if suggestions else ""
        super().__init__(f"unknown {kind} {name!r}{hint}")


class AmbiguousNameError(UnknownNameError):
    """A label is shared by several entities; `suggestions` are their names."""

    def __init__(self, label: str, candidates: tuple[str, ...]):
        super().__init__("entity", label, candidates)
        self.message = f"the label {label!r} is ambiguous; say {_any_of(candidates)}"
        self.args = (self.message,)


def _any_of(names: tuple[str, ...]) -> str:
    quoted = [repr(name) for name in names]
    return quoted[0] if len(quoted) == 1 else ", ".join(quoted[:-1]) + " or " + quoted[-1]
