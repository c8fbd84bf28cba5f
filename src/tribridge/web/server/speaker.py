"""The language of each request: chosen on the page, else what the browser asks for, else English.

The interface for programs under `/api/` speaks English whatever a client asks for.
"""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tribridge.web.language import COOKIE, DEFAULT, preferred, speaking


class Speaker:
    """The ASGI layer that sets the language; pages say which one they are in."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        language = _language(Request(scope))

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("content-type", "").startswith("text/html"):
                    headers["content-language"] = language
                    headers.add_vary_header("accept-language, cookie")
            await send(message)

        with speaking(language):
            await self.app(scope, receive, send_with_headers)


def _language(request: Request) -> str:
    if request.url.path.startswith("/api/"):
        return DEFAULT
    accepted = request.headers.get("accept-language", "")
    return preferred(request.cookies.get(COOKIE, ""), accepted)
