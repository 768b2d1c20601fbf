"""`POST /api/answer`."""

from __future__ import annotations

from fastapi import APIRouter, Response

from query2box.serving.batches import Ask
from query2box.serving.errors import TooMuchError, json_response
from query2box.serving.routes.desks import TheDesk
from query2box.serving.schemas import QUESTION, AnswerDocument, AnswerRequest, errors

router = APIRouter(tags=["questions"])


@router.post("/api/answer", response_model=AnswerDocument, responses=errors(*QUESTION))
async def answer(body: AnswerRequest, desk: TheDesk) -> Response:
    """The nearest entities of a question, known or predicted, and how likely each is."""
    served, deadline = desk.served, desk.deadline()
    if body.k > desk.limits.answers:
        raise TooMuchError(f"k is at most {desk.limits.answers:,}, not {body.k:,}")
    if body.candidates is not None and len(body.candidates) > desk.limits.candidates:
        raise TooMuchError(f"at most {desk.limits.candidates:,} candidates can be named")
    asked = await desk.read(body.query, served, deadline)
    reply = await desk.answer(Ask(served, asked, body.k, body.only, body.candidates), deadline)
    return json_response(reply.to_json(served.graph))
