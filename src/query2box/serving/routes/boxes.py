"""`POST /api/boxes`."""

from __future__ import annotations

from fastapi import APIRouter, Response

from query2box.serving.boxes import drawn_boxes
from query2box.serving.errors import json_response
from query2box.serving.page_schemas import BoxesDocument, BoxesRequest
from query2box.serving.routes.desks import TheDesk
from query2box.serving.schemas import QUESTION, errors

router = APIRouter(tags=["questions"])


@router.post("/api/boxes", response_model=BoxesDocument, responses=errors(*QUESTION))
async def boxes(body: BoxesRequest, desk: TheDesk) -> Response:
    """A question's boxes and the entities nearest to them, step by step, in two dimensions."""
    served, deadline = desk.served, desk.deadline()
    asked = await desk.read(body.query, served, deadline)
    drawn = await desk.think(
        lambda _: drawn_boxes(served.reasoner, asked.query, body.dimensions, body.nearest),
        deadline,
    )
    return json_response(drawn)
