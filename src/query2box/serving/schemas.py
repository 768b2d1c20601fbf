"""What requests and answers look like: checked on the way in, documented both ways."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

QUERY = Field(
    description="A formula, SPARQL, or nested lists as in query files.",
    examples=["?c : borders(France, ?c)", ["p", "borders", ["e", "France"]]],
)


class Request(BaseModel):
    """A request's body; a key that means nothing is refused."""

    model_config = ConfigDict(extra="forbid", strict=True)


class AnswerRequest(Request):
    """A question, and what is wanted of its answers."""

    query: str | list[Any] = QUERY
    k: int = Field(10, ge=0, description="How many answers; a LIMIT in the text counts as well.")
    only: Literal["known", "predicted"] | None = None
    candidates: list[str] | None = Field(
        None, description="Entities, by name or label, that alone may answer."
    )


class ExplainRequest(Request):
    """A question and one of its answers."""

    query: str | list[Any] = QUERY
    entity: str = Field(description="The answer, by name or label.")
    runners_up: int = Field(3, ge=0, description="How many other reasons.")


class Question(BaseModel):
    """A question as it was understood."""

    formula: str
    nodes: list[Any]
    structure: str


class Answer(BaseModel):
    """An entity that answers a question, or may do so."""

    entity: str
    label: str
    distance: float
    probability: float
    known: bool


class AnswerDocument(BaseModel):
    """What `q2b ask --json` prints."""

    query: Question
    disjuncts: int
    seconds: float
    answers: list[Answer]


class End(BaseModel):
    """An end of an atom."""

    entity: str
    label: str
    variable: str | None


class Atom(BaseModel):
    """An edge that speaks for an answer, stored or likely."""

    relation: str
    subject: End
    object: End
    known: bool
    probability: float
    distance: float


class Witness(BaseModel):
    """Values for all variables, and the edges between them."""

    disjunct: str
    probability: float
    known: bool
    atoms: list[Atom]


class ExplainDocument(BaseModel):
    """What `q2b explain --json` prints."""

    query: Question
    answer: Answer
    disjuncts: int
    exact: bool
    best: Witness
    runners_up: list[Witness]


class Entity(BaseModel):
    """An entity's name and its readable name."""

    entity: str
    label: str


class EntitiesDocument(BaseModel):
    """Entities, the best first."""

    entities: list[Entity]


class Relation(BaseModel):
    """A relation in figures: its own direction, and its inverse."""

    relation: str
    edges: int
    box_size: float = Field(description="The mean of the learnt offsets.")
    inverse_box_size: float
    answers: float = Field(description="The mean number of objects where there are any.")
    inverse_answers: float


class RelationsDocument(BaseModel):
    """The relations, the most frequent first."""

    relations: list[Relation]


class GraphDocument(BaseModel):
    """What is served: the graph in figures, the model, the run's config, its calibration."""

    name: str
    statistics: dict[str, Any]
    stored_edges: int
    model: dict[str, Any]
    config: dict[str, Any]
    calibration: dict[str, Any] | None


class State(BaseModel):
    """How the server is."""

    status: Literal["ok", "ready"]


class Error(BaseModel):
    """What is wrong, where in the question's text, and what may have been meant."""

    type: str
    message: str
    position: int | None = None
    suggestions: list[str] | None = None


class ErrorDocument(BaseModel):
    """Every answer that is no success."""

    error: Error


REASONS = {
    400: "The request or the question's text cannot be read.",
    401: "The token is missing or wrong.",
    406: "The client takes none of the formats that there are.",
    413: "The request or the question's text is too large.",
    415: "The body comes in a form that is not read.",
    422: "The question cannot be asked of this graph, or asks for too much.",
    429: "Too many requests wait already.",
    503: "The work was not done in time, or the server is not ready.",
}


QUESTION = (400, 401, 413, 422, 429, 503)
"""What may be wrong with a question in a JSON body."""


def errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The errors that a route may answer with, for its documentation."""
    return {status: {"model": ErrorDocument, "description": REASONS[status]} for status in statuses}
