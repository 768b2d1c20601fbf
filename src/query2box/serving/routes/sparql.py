"""`GET` and `POST /sparql`: the SPARQL 1.1 protocol, so that existing clients work."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import parse_qs

from fastapi import APIRouter, Query, Request, Response

from query2box.answering.reasoner import Only
from query2box.serving.batches import Ask
from query2box.serving.desk import Desk
from query2box.serving.errors import (
    NotAcceptableError,
    RequestError,
    TooMuchError,
    UnsupportedMediaTypeError,
)
from query2box.serving.results import FORMATS, preferred
from query2box.serving.routes.desks import TheDesk
from query2box.serving.schemas import errors

router = APIRouter(tags=["SPARQL"])

GRAPHS: dict[str, Only] = {"urn:q2b:known": "known", "urn:q2b:predicted": "predicted"}
"""Parts of what is answered, as default graphs; without one, both."""

ANSWERS = 100
"""Without a LIMIT, unless only known answers are asked for: everything may be predicted."""

FORM = "application/x-www-form-urlencoded"
DIRECT = "application/sparql-query"

RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The answers, the likeliest first.",
        "content": {name: {"schema": {"type": "string"}} for name in FORMATS}
        | {name: {"schema": {"type": "object"}} for name in list(FORMATS)[:2]},
    },
    **errors(400, 401, 406, 413, 422, 429, 503),
}

Graphs = Annotated[
    list[str] | None,
    Query(alias="default-graph-uri", description=f"One of {', '.join(GRAPHS)}; without, both."),
]


@router.get("/sparql", response_class=Response, responses=RESPONSES)
async def sparql_get(
    request: Request,
    desk: TheDesk,
    query: Annotated[str, Query(description="A SELECT.")],
    graphs: Graphs = None,
) -> Response:
    """Answer a SPARQL query; `?probability` and `?known` may be selected beside the target."""
    return await _respond(request, desk, query, graphs or [])


@router.post(
    "/sparql",
    response_class=Response,
    responses={**RESPONSES, **errors(415)},
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                DIRECT: {"schema": {"type": "string"}},
                FORM: {
                    "schema": {
                        "type": "object",
                        "required": ["query"],
                        "properties": {
                            "query": {"type": "string"},
                            "default-graph-uri": {"type": "string", "enum": list(GRAPHS)},
                        },
                    }
                },
            },
        }
    },
)
async def sparql_post(request: Request, desk: TheDesk, graphs: Graphs = None) -> Response:
    """The same with the query in the body, as it is or as a form."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in {DIRECT, FORM}:
        raise UnsupportedMediaTypeError(f"a query is sent as {DIRECT} or {FORM}")
    try:
        text = (await request.body()).decode()
        if kind == DIRECT:
            return await _respond(request, desk, text, graphs or [])
        form = parse_qs(text, keep_blank_values=True, errors="strict", max_num_fields=100)
    except UnicodeDecodeError:
        raise RequestError("the body is not UTF-8") from None
    except ValueError as error:
        raise RequestError(f"the form cannot be read: {error}") from None
    if len(form.get("query", ())) != 1:
        raise RequestError("a form has one field named query")
    named = [*(graphs or []), *form.get("default-graph-uri", ())]
    return await _respond(request, desk, form["query"][0], named)


async def _respond(request: Request, desk: Desk, text: str, graphs: list[str]) -> Response:
    media_type = preferred(request.headers.get("accept"))
    if media_type is None:
        raise NotAcceptableError(f"results come as {', '.join(FORMATS)}")
    only = _part(graphs)
    served, deadline = desk.served, desk.deadline()
    question = await desk.read_sparql(text, served, deadline)
    most = desk.limits.known if only == "known" else desk.limits.answers
    wanted = question.asked.limit
    if wanted is None:
        wanted = most + 1 if only == "known" else min(ANSWERS, most)
    elif wanted > most:
        raise TooMuchError(f"the LIMIT is at most {most:,}, not {wanted:,}")
    reply = await desk.answer(Ask(served, question.asked, wanted, only), deadline)
    if len(reply.answers) > most:
        raise TooMuchError(f"there are more than {most:,} answers; say LIMIT")
    body = FORMATS[media_type](question.selected, reply.answers)
    return Response(body, media_type=media_type)


def _part(graphs: list[str]) -> Only:
    """Which answers the default graphs hold."""
    unknown = [graph for graph in graphs if graph not in GRAPHS]
    if unknown:
        raise RequestError(f"there is no graph {unknown[0]!r}; say {' or '.join(GRAPHS)}")
    parts = {GRAPHS[graph] for graph in graphs}
    return parts.pop() if len(parts) == 1 else None
