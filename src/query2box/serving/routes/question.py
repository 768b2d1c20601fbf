"""`POST /api/query`."""

from __future__ import annotations

from fastapi import APIRouter, Response

from query2box.errors import QueryError
from query2box.serving.errors import error_json, json_response
from query2box.serving.page_schemas import QueryDocument, QueryRequest
from query2box.serving.question import question_forms
from query2box.serving.routes.desks import TheDesk
from query2box.serving.schemas import QUESTION, errors

router = APIRouter(tags=["questions"])


@router.post("/api/query", response_model=QueryDocument, responses=errors(*QUESTION))
async def query(body: QueryRequest, desk: TheDesk) -> Response:
    """A question as nodes, formula, SPARQL and picture.

    What is being typed can mostly not be asked yet, so that is no failure: the
    answer has a question or the reason why it is none.
    """
    served, deadline = desk.served, desk.deadline()
    try:
        asked = await desk.read(body.query, served, deadline)
        forms = await desk.look_up(lambda _: question_forms(asked, served.graph), deadline)
    except QueryError as error:
        return json_response({"question": None, **error_json(error)})
    return json_response({"question": forms, "error": None})
