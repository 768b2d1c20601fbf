"""Names and their dense ids."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import overload

from query2box.errors import DataError, UnknownNameError

# Comparing costs time in proportion to the length, a million times over.
_LONGEST_MISSPELLING = 200


class Vocabulary(Sequence[str]):
    """The names of one kind of thing, in id order; ids count from 0."""

    __slots__ = ("_ids", "_names", "kind")

    def __init__(self, kind: str, names: Iterable[str]) -> None:
        self.kind = kind
        self._names = tuple(names)
        self._ids = {name: i for i, name in enumerate(self._names)}
        if len(self._ids) != len(self._names):
            twice = next(name for i, name in enumerate(self._names) if self._ids[name] != i)
            raise DataError(f"the {kind} {twice!r} is listed twice")

    def __len__(self) -> int:
        return len(self._names)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._ids

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...
    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        return self._names[index]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Vocabulary):
            return NotImplemented
        return self.kind == other.kind and self._names == other._names

    def __hash__(self) -> int:
        return hash((self.kind, self._names))

    def __repr__(self) -> str:
        return f"<Vocabulary of {len(self):,} {self.kind} names>"

    def get(self, name: str) -> int | None:
        """The id of a name, or None."""
        return self._ids.get(name)

    def id(self, name: str) -> int:
        """The id of a name; near names are suggested for one that is not there."""
        found = self._ids.get(name)
        if found is None:
            raise UnknownNameError(self.kind, name, self.suggest(name))
        return found

    def name(self, index: int) -> str:
        """The name of an id."""
        if not 0 <= index < len(self._names):
            raise UnknownNameError(self.kind, f"#{index}")
        return self._names[index]

    def suggest(self, name: str, limit: int = 3) -> tuple[str, ...]:
        """The names most like a misspelt one, best first."""
        return nearest(name, self._names, limit)


def nearest(name: str, names: Sequence[str], limit: int = 3) -> tuple[str, ...]:
    """The members of `names` most like `name`, best first; case does not count."""
    from rapidfuzz import fuzz, process, utils

    if len(name) > _LONGEST_MISSPELLING:
        return ()
    # Much shorter names are like it only by chance: every letter of it is one.
    candidates = [other for other in names if 2 * len(other) >= len(name)]
    found = process.extract(
        name,
        candidates,
        scorer=fuzz.WRatio,
        processor=utils.default_process,
        limit=limit,
        score_cutoff=60,
    )
    return tuple(dict.fromkeys(match for match, _, _ in found))
