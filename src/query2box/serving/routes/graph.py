"""`GET /api/graph`: what is served."""

from __future__ import annotations

from fastapi import APIRouter, Response

from query2box.serving.errors import json_response
from query2box.serving.routes.desks import TheDesk
from query2box.serving.schemas import GraphDocument, errors

router = APIRouter(tags=["graph"])


@router.get("/api/graph", response_model=GraphDocument, responses=errors(401, 429, 503))
async def graph(desk: TheDesk) -> Response:
    """The graph in figures, the model, the run's config and how well it is calibrated."""
    return json_response(desk.served.graph_json)
