"""The web page's files, with what they may do: nothing but talk to this server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from starlette.responses import Response
from starlette.staticfiles import StaticFiles

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'{styles}; img-src 'self'{images}; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",  # a file that has not changed is still not sent again
}

TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
"""Said outright: what a machine's own tables say of these would not always run."""


class PageFiles(StaticFiles):
    """The files of a folder beside this one; some libraries write styles and images as they go."""

    def __init__(self, folder: str, *, written: bool = False) -> None:
        super().__init__(directory=Path(__file__).parent / folder, html=True)
        styles, images = (" 'unsafe-inline'", " data:") if written else ("", "")
        self.policy = POLICY.format(styles=styles, images=images)

    def file_response(self, full_path: Any, *args: Any, **kwargs: Any) -> Response:
        """A file, under the policy."""
        response = super().file_response(full_path, *args, **kwargs)
        response.headers.update({"Content-Security-Policy": self.policy, **HEADERS})
        media_type = TYPES.get(Path(full_path).suffix)
        if media_type is not None and "content-type" in response.headers:
            response.headers["content-type"] = f"{media_type}; charset=utf-8"
        return response
