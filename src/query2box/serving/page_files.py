"""The web page's files, with what they may do: nothing but talk to this server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from starlette.responses import Response
from starlette.staticfiles import StaticFiles

PAGE = Path(__file__).parent / "page"

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",  # a file that has not changed is still not sent again
}

TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
"""Said outright: what a machine's own tables say of these would not always run."""


class PageFiles(StaticFiles):
    """The files of the folder `page`."""

    def __init__(self) -> None:
        super().__init__(directory=PAGE, html=True)

    def file_response(self, full_path: Any, *args: Any, **kwargs: Any) -> Response:
        """A file, under the policy."""
        response = super().file_response(full_path, *args, **kwargs)
        response.headers.update(HEADERS)
        media_type = TYPES.get(Path(full_path).suffix)
        if media_type is not None and "content-type" in response.headers:
            response.headers["content-type"] = f"{media_type}; charset=utf-8"
        return response
