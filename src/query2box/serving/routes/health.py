"""`GET /healthz` and `GET /readyz`."""

from __future__ import annotations

from fastapi import APIRouter, Response

from query2box.serving.errors import json_response
from query2box.serving.routes.desks import TheDesk
from query2box.serving.schemas import State, errors

router = APIRouter(tags=["health"])


@router.get("/healthz", response_model=State)
async def healthz() -> Response:
    """Whether the process is alive."""
    return json_response({"status": "ok"})


@router.get("/readyz", response_model=State, responses=errors(503))
async def readyz(desk: TheDesk) -> Response:
    """Whether questions are taken."""
    desk.check_open()
    return json_response({"status": "ready"})
