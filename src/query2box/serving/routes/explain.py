"""`POST /api/explain`."""

from __future__ import annotations

from fastapi import APIRouter, Response

from query2box.serving.errors import TooMuchError, json_response
from query2box.serving.routes.desks import TheDesk
from query2box.serving.schemas import QUESTION, ExplainDocument, ExplainRequest, errors

router = APIRouter(tags=["questions"])


@router.post("/api/explain", response_model=ExplainDocument, responses=errors(*QUESTION))
async def explain(body: ExplainRequest, desk: TheDesk) -> Response:
    """Why an entity answers a question: the edges, stored or likely, that speak for it."""
    served, deadline = desk.served, desk.deadline()
    if body.runners_up > desk.limits.reasons:
        raise TooMuchError(f"at most {desk.limits.reasons} runners-up are looked for")
    asked = await desk.read(body.query, served, deadline)
    explanation = await desk.think(
        lambda check: served.reasoner.explain(asked.query, body.entity, body.runners_up, check),
        deadline,
    )
    return json_response(explanation.to_json(served.graph))
