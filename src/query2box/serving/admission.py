"""Who is let in: not without the token, not with too much, not where too many are in already."""

from __future__ import annotations

import asyncio
import hmac

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from query2box.serving.errors import (
    BusyError,
    RefusedError,
    TimedOutError,
    TooLargeError,
    UnauthorizedError,
    error_response,
)
from query2box.serving.limits import Limits

GUARDED = ("/api/", "/sparql", "/metrics")
"""What needs the token, if there is one; the page itself and its files say nothing secret."""


class Admission:
    """Counts and checks requests before anything is read."""

    def __init__(self, app: ASGIApp, limits: Limits, token: str | None) -> None:
        self.app = app
        self.limits = limits
        self.inside = 0
        self._token = None if token is None else f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or say why not."""
        if scope["type"] != "http" or not scope["path"].startswith(GUARDED):
            await self.app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        try:
            self._check(headers)
        except RefusedError as refusal:
            await error_response(refusal)(scope, receive, send)
            return
        self.inside += 1
        try:
            await self.app(scope, _bounded(receive, self.limits), send)
        finally:
            self.inside -= 1

    def _check(self, headers: dict[bytes, bytes]) -> None:
        if self._token is not None:
            given = headers.get(b"authorization", b"")
            if not hmac.compare_digest(given, self._token):
                raise UnauthorizedError("this server wants the token that it was started with")
        if self.inside >= self.limits.requests:
            raise BusyError(f"{self.inside} requests are being served already; come again later")
        length = headers.get(b"content-length", b"0")
        if length.isdigit() and int(length) > self.limits.body_bytes:
            raise _too_large(self.limits.body_bytes)


def _bounded(receive: Receive, limits: Limits) -> Receive:
    """A body that is neither too long, whatever it says of its length, nor too late."""
    seen = 0
    end = asyncio.get_running_loop().time() + limits.seconds

    async def bounded() -> Message:
        nonlocal seen
        try:
            async with asyncio.timeout_at(end):
                message = await receive()
        except TimeoutError:
            raise TimedOutError("the request's body did not come in time") from None
        seen += len(message.get("body", b""))
        if seen > limits.body_bytes:
            raise _too_large(limits.body_bytes)
        return message

    return bounded


def _too_large(limit: int) -> TooLargeError:
    return TooLargeError(f"a request has at most {limit:,} bytes")
