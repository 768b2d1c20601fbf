"""`GET /api/examples`."""

from __future__ import annotations

from fastapi import APIRouter, Response

from query2box.serving.errors import json_response
from query2box.serving.page_schemas import ExamplesDocument
from query2box.serving.routes.desks import TheDesk
from query2box.serving.schemas import errors

router = APIRouter(tags=["graph"])


@router.get("/api/examples", response_model=ExamplesDocument, responses=errors(401, 429, 503))
async def examples(desk: TheDesk) -> Response:
    """Questions to begin with, of each structure that the graph has."""
    served = desk.served
    found = await desk.think(lambda _: served.examples, desk.deadline())
    return json_response({"examples": found})
