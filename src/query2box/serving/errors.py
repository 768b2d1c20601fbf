"""What goes wrong, as JSON: `{"error": {"type", "message", "position"?, "suggestions"?}}`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from query2box.errors import (
    DataError,
    Query2boxError,
    QueryError,
    QuerySyntaxError,
    RunError,
    UnknownNameError,
)


class RefusedError(Query2boxError):
    """A request that is not served; `status` is HTTP's word for it."""

    status = 400
    headers: Mapping[str, str] = {}
    """What a client should know beside the reason."""


class RequestError(RefusedError):
    """The request is not made as it should be."""

    def __init__(
        self, message: str, status: int = 400, headers: Mapping[str, str] | None = None
    ) -> None:
        self.status = status
        self.headers = headers or {}
        super().__init__(message)


class NotAcceptableError(RefusedError):
    """The client takes none of the formats that there are."""

    status = 406


class UnsupportedMediaTypeError(RefusedError):
    """The body comes in a form that is not read."""

    status = 415


class UnauthorizedError(RefusedError):
    """The token is missing or wrong."""

    status = 401
    headers: Mapping[str, str] = {"WWW-Authenticate": "Bearer"}


class TooLargeError(RefusedError):
    """The request, or the text of its question, is too large."""

    status = 413


class TooMuchError(RefusedError):
    """The request asks for more than is given at once."""

    status = 422


class BusyError(RefusedError):
    """Too many others are being served."""

    status = 429
    headers: Mapping[str, str] = {"Retry-After": "1"}


class TimedOutError(RefusedError):
    """The work was not done in time."""

    status = 503


class UnavailableError(RefusedError):
    """The server is not ready, or on its way out."""

    status = 503
    headers: Mapping[str, str] = {"Retry-After": "1"}


def status_of(error: Query2boxError) -> int:
    """HTTP's word for an error: a text that cannot be read is 400, one that says too much 422."""
    if isinstance(error, RefusedError):
        return error.status
    if isinstance(error, QuerySyntaxError):
        return 400
    if isinstance(error, (RunError, DataError)):
        return 503
    return 422


def error_json(error: Query2boxError) -> dict[str, Any]:
    """An error as a client meets it."""
    found: dict[str, Any] = {"type": type(error).__name__, "message": str(error)}
    if isinstance(error, QueryError) and error.position is not None:
        found["position"] = error.position
    if isinstance(error, UnknownNameError) and error.suggestions:
        found["suggestions"] = list(error.suggestions)
    return {"error": found}


def error_response(error: Query2boxError) -> Response:
    """An error as an answer."""
    headers = error.headers if isinstance(error, RefusedError) else {}
    return json_response(error_json(error), status_of(error), headers)


def json_response(
    document: object, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """A JSON document; what UTF-8 cannot spell, as half of a pair, is escaped."""
    return Response(json.dumps(document), status, headers, media_type="application/json")
