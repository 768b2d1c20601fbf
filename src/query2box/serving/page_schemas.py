"""What the page's own requests and answers look like."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from query2box.serving.schemas import QUERY, Error, Request

NEAREST = 50
"""Entities that are drawn around a box, at most."""

Place = tuple[float, float]
"""A point of the plane that is looked at."""


class QueryRequest(Request):
    """A question in any form."""

    query: str | list[Any] = QUERY


class Term(BaseModel):
    """A part of a question's picture; an entity has a name and a label."""

    kind: Literal["target", "variable", "entity", "or", "and"]
    entity: str | None = None
    label: str | None = None


class Lead(BaseModel):
    """What leads from a term to another one: a relation or, to a junction's end, nothing."""

    source: int
    destination: int
    relation: str | None
    forward: bool = Field(description="Whether the stored edges point the same way.")


class QueryGraph(BaseModel):
    """A question's picture; the first term is its target."""

    terms: list[Term]
    atoms: list[Lead]


class QuestionForms(BaseModel):
    """A question in all its forms."""

    nodes: list[Any]
    formula: str
    sparql: str
    structure: str | None = Field(description="Of the paper's nine, if it is one of them.")
    disjuncts: int
    limit: int | None
    graph: QueryGraph


class QueryDocument(BaseModel):
    """A question or, where it cannot be asked, the reason."""

    question: QuestionForms | None
    error: Error | None


Dimension = Annotated[int, Field(ge=0)]


class BoxesRequest(Request):
    """A question, and how to look at its boxes."""

    query: str | list[Any] = QUERY
    dimensions: Annotated[list[Dimension], Field(min_length=2, max_length=2)] | None = Field(
        None, description="Two dimensions by number; without any, the principal directions."
    )
    nearest: int = Field(12, ge=1, le=NEAREST, description="How many entities a step.")


class Near(BaseModel):
    """An entity near a step's box."""

    entity: str
    label: str
    distance: float
    at: Place


class Step(BaseModel):
    """A step of the computation: the box of the question that ends there."""

    kind: Literal["entity", "projection", "intersection"]
    name: str
    formula: str | None
    inputs: list[int]
    ends: bool = Field(description="Whether it is the last step of a disjunct.")
    lower: Place
    upper: Place
    nearest: list[Near]


class Axis(BaseModel):
    """A dimension by number, or a principal direction by its share of the spread."""

    dimension: int | None = None
    share: float | None = None


class BoxesDocument(BaseModel):
    """A question's boxes in two dimensions, step by step."""

    dim: int
    axes: tuple[Axis, Axis]
    steps: list[Step]


class Example(BaseModel):
    """A question that has answers among the stored edges."""

    structure: str
    formula: str
    answers: int


class ExamplesDocument(BaseModel):
    """Questions to begin with."""

    examples: list[Example]
