"""How a route comes to the desk."""

from __future__ import annotations

from typing import Annotated, cast

from fastapi import Depends, Request

from query2box.serving.desk import Desk


async def _desk(request: Request) -> Desk:
    return cast("Desk", request.app.state.desk)


TheDesk = Annotated[Desk, Depends(_desk)]
"""A route's parameter of this type is the app's desk."""
