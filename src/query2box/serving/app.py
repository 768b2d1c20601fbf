"""The web application: a desk behind HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import cast

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse

from query2box import __version__
from query2box.errors import Query2boxError
from query2box.serving.admission import Admission
from query2box.serving.desk import Desk
from query2box.serving.errors import RequestError, error_response
from query2box.serving.metrics import Metering, Metrics
from query2box.serving.page_files import PageFiles
from query2box.serving.routes import ROUTERS


def create_app(desk: Desk, token: str | None = None) -> FastAPI:
    """The application that serves a desk; `token` is what clients have to show, if any."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        desk.close()

    app = FastAPI(
        title="query2box",
        version=__version__,
        description="Ask logical questions of an incomplete knowledge graph.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
    )
    app.state.desk = desk
    app.state.metrics = Metrics(desk)
    for router in ROUTERS:
        app.include_router(router)
    app.add_route("/docs", _docs, include_in_schema=False)  # else the page would be asked for it
    app.mount("/docs", PageFiles("docs", written=True), name="docs")
    app.mount("/", PageFiles("page"), name="page")
    app.add_exception_handler(Query2boxError, _refused)
    app.add_exception_handler(RequestValidationError, _malformed)
    app.add_exception_handler(HTTPException, _plain)
    app.add_middleware(Admission, limits=desk.limits, token=token)
    app.add_middleware(Metering, metrics=app.state.metrics)
    return app


async def _docs(_: Request) -> Response:
    return RedirectResponse("/docs/")


async def _refused(_: Request, error: Exception) -> Response:
    return error_response(cast("Query2boxError", error))


async def _malformed(_: Request, error: Exception) -> Response:
    """What a request lacks or has too much of, in one sentence."""
    first = cast("RequestValidationError", error).errors()[0]
    place = ".".join(str(part) for part in first["loc"] if part != "body")
    if first["type"] == "json_invalid":
        return error_response(RequestError("the body is no JSON"))
    return error_response(RequestError(f"{place or 'the body'}: {first['msg']}", 422))


async def _plain(_: Request, error: Exception) -> Response:
    found = cast("HTTPException", error)
    if isinstance(found.__cause__, Query2boxError):  # raised while the body was read
        return error_response(found.__cause__)
    return error_response(RequestError(str(found.detail), found.status_code, found.headers))
