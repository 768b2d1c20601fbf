"""Answers as SPARQL results: JSON, CSV and TSV, and which of them a client prefers."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Sequence

from query2box.answering.answers import Answer
from query2box.query.iris import to_iri

XSD = "http://www.w3.org/2001/XMLSchema#"

PROBABILITY, KNOWN = "probability", "known"
ALSO_SELECTED = (PROBABILITY, KNOWN)
"""What a text may select beside its target: how likely an answer is, whether it is stored."""


def to_json(variables: Sequence[str], answers: Sequence[Answer]) -> str:
    """SPARQL 1.1 query results in JSON."""
    bindings = [
        {variable: _json_term(variable, answer) for variable in variables} for answer in answers
    ]
    return json.dumps({"head": {"vars": list(variables)}, "results": {"bindings": bindings}})


def to_csv(variables: Sequence[str], answers: Sequence[Answer]) -> str:
    """SPARQL 1.1 query results as CSV: values without their types."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(variables)
    for answer in answers:
        writer.writerow(_value(variable, answer) for variable in variables)
    return text.getvalue()


def to_tsv(variables: Sequence[str], answers: Sequence[Answer]) -> str:
    """SPARQL 1.1 query results as TSV: terms as SPARQL writes them."""
    lines = ["\t".join(f"?{variable}" for variable in variables)]
    lines += ["\t".join(_term(variable, answer) for variable in variables) for answer in answers]
    return "\n".join(lines) + "\n"


Write = Callable[[Sequence[str], Sequence[Answer]], str]

FORMATS: dict[str, Write] = {
    "application/sparql-results+json": to_json,
    "application/json": to_json,
    "text/csv": to_csv,
    "text/tab-separated-values": to_tsv,
}
"""By media type; the first is what a client gets that takes anything."""


def preferred(accept: str | None) -> str | None:
    """The format that an `Accept` header likes best; None where it likes none of ours."""
    wishes = list(_wishes(accept or "*/*"))
    best, best_weight = None, 0.0
    for ours in FORMATS:
        ranges = (ours, ours.split("/", 1)[0] + "/*", "*/*")
        # What is said of a type outweighs what is said of all its kind.
        weight = next((q for kind in ranges for name, q in wishes if name == kind), 0.0)
        if weight > best_weight:
            best, best_weight = ours, weight
    return best


def _wishes(accept: str) -> Iterator[tuple[str, float]]:
    for part in accept.split(","):
        name, *parameters = (piece.strip().lower() for piece in part.split(";"))
        weight = 1.0
        for parameter in parameters:
            key, _, value = parameter.partition("=")
            if key.strip() == "q":
                try:
                    weight = float(value)
                except ValueError:
                    weight = 0.0
        if name:
            yield name, weight


# Terms


def entity_iri(answer: Answer) -> str:
    """The IRI that asks for this entity again."""
    return to_iri(answer.entity or answer.id)


def _value(variable: str, answer: Answer) -> str:
    if variable == PROBABILITY:
        return repr(answer.probability)
    if variable == KNOWN:
        return str(answer.known).lower()
    return entity_iri(answer)


def _json_term(variable: str, answer: Answer) -> dict[str, str]:
    value = _value(variable, answer)
    if variable == PROBABILITY:
        return {"type": "literal", "datatype": f"{XSD}double", "value": value}
    if variable == KNOWN:
        return {"type": "literal", "datatype": f"{XSD}boolean", "value": value}
    return {"type": "uri", "value": value}


def _term(variable: str, answer: Answer) -> str:
    value = _value(variable, answer)
    if variable == PROBABILITY:
        return value if "e" in value else f"{value}e0"  # without an exponent it is a decimal
    return value if variable == KNOWN else f"<{value}>"
