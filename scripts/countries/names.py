"""Names that can be typed, labels that can be read."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

Record = Mapping[str, Any]

# What Unicode does not take apart into an ASCII letter and an accent; apostrophes go.
PLAIN = str.maketrans("øłŁıəđĐÐ–", "olLiadDD-", "'’‘ʻʼ") | {ord("&"): "and"}  # noqa: RUF001


def plain(label: str) -> str:
    """The label without accents and apostrophes."""
    letters = unicodedata.normalize("NFKD", label.translate(PLAIN))
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def typable(label: str) -> str:
    """The label in ASCII, fit to stand between quotes as it is."""
    name = plain(label)
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9 ,.()/_-]*", name):
        raise ValueError(f"{label!r} cannot be typed: {name!r}")
    return name


class NameBook:
    """A typable name and a readable label for each thing, no name twice."""

    def __init__(self) -> None:
        self.labels: dict[str, str] = {}
        self.names: dict[tuple[str, Any], str] = {}

    def add(self, kind: str, key: Any, labels: Iterable[str]) -> str:
        """Name a thing after the first of these labels that is free."""
        if (kind, key) not in self.names:
            label = next(label for label in labels if typable(label) not in self.labels)
            self.names[kind, key] = typable(label)
            self.labels[typable(label)] = label
        return self.names[kind, key]

    def country(self, iso: str) -> str:
        """The name of a country."""
        return self.names["country", iso]

    def city(self, city: Record) -> str:
        """The name of a city."""
        return self.names["city", city["geonameid"]]
