"""How much one request, and all of them together, may ask for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Past any of these a request is refused with the reason, never left waiting."""

    body_bytes: int = 1 << 18
    """Of a request; more is 413."""
    query_characters: int = 8192
    """Of a question's text; more is 413. A text of this length is read within a second."""
    answers: int = 1000
    """The largest k; more is 422."""
    known: int = 100_000
    """Of the known answers of a SPARQL query; more is 422."""
    candidates: int = 10_000
    """Names of those that may answer; more is 422."""
    reasons: int = 20
    """Runner-up explanations; more is 422."""
    disjuncts: int = 64
    """Of a question in disjunctive normal form; more is 422."""
    work: int = 20_000_000
    """Entities listed while the values of a question's shared variables are tried; more is 422.

    That takes less than a second; without it one question keeps a thread for much longer.
    """
    requests: int = 256
    """At work or waiting at once; more is 429."""
    waiting: int = 128
    """Questions that wait for the next scan; more is 429."""
    thinking: int = 16
    """Explanations and questions with shared variables that wait for each other; more is 429."""
    batch: int = 64
    """Questions that are answered by one scan."""
    seconds: float = 10.0
    """For one request; longer is 503."""
