"""`GET /metrics`."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from query2box.serving.schemas import errors

router = APIRouter(tags=["health"])


@router.get(
    "/metrics",
    response_class=Response,
    responses={
        200: {"content": {"text/plain": {"schema": {"type": "string"}}}},
        **errors(401, 429),
    },
)
async def metrics(request: Request) -> Response:
    """The server's figures, for Prometheus."""
    figures = request.app.state.metrics
    return Response(figures.text(), media_type=figures.media_type)
