"""`GET /api/entities` and `GET /api/relations`."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response

from query2box.serving.errors import json_response
from query2box.serving.routes.desks import TheDesk
from query2box.serving.schemas import EntitiesDocument, RelationsDocument, errors

router = APIRouter(tags=["names"])


@router.get("/api/entities", response_model=EntitiesDocument, responses=errors(401, 422, 429, 503))
async def entities(
    desk: TheDesk,
    search: Annotated[str, Query(description="How a name or label begins, or about so.")] = "",
    limit: Annotated[int, Query(ge=0, le=100)] = 10,
) -> Response:
    """Entities by name or label: those that begin so, then those that look like it."""
    served = desk.served
    found = await desk.look_up(lambda _: served.search.find(search, limit), desk.deadline())
    graph = served.graph
    names = [{"entity": graph.entity_name(e), "label": graph.label(e)} for e in found]
    return json_response({"entities": names})


@router.get("/api/relations", response_model=RelationsDocument, responses=errors(401, 429, 503))
async def relations(desk: TheDesk) -> Response:
    """The relations, the most frequent first, with the sizes of their boxes."""
    return json_response(desk.served.relations_json)
