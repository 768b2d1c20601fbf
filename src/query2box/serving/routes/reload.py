"""`POST /api/reload`."""

from __future__ import annotations

from fastapi import APIRouter, Response

from query2box.serving.errors import json_response
from query2box.serving.routes.desks import TheDesk
from query2box.serving.schemas import GraphDocument, errors

router = APIRouter(tags=["graph"])


@router.post("/api/reload", response_model=GraphDocument, responses=errors(401, 429, 503))
async def reload(desk: TheDesk) -> Response:
    """Serve the run as it is on disk now; if it cannot be read, the old one stays."""
    served = await desk.reload()
    return json_response(served.graph_json)
