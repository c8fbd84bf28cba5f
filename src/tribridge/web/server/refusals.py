"""How a refusal looks to programs, and the routers of the API, which describe theirs."""

from __future__ import annotations

from typing import Any, Final

from fastapi import APIRouter

from tribridge.web.server.guard import MOST_BYTES, MOST_UPLOADED
from tribridge.web.view.values import value


@value
class Refusal:
    """A refused request; it changed nothing."""

    error: str
    """What was refused and why, in one line."""


_REASONS: Final = {
    400: "The table or match cannot be opened with these settings, or the device key is malformed.",
    403: "You do not hold that seat, it is not your turn, the table or match is not yours, or a "
    "page of another site asked.",
    404: "There is no such table, finished deal, challenge or match.",
    409: "The table has moved on since `at`: read it and decide again.",
    410: "The stored events of this table are damaged.",
    413: f"The body is longer than {MOST_BYTES} bytes; {MOST_UPLOADED} for an import.",
    421: "The server does not answer to the host name of this request.",
    422: "The rules do not allow it, or the request does not fit its description.",
    429: "Too many requests, tables, matches, streams or messages; see `Retry-After`.",
    503: "Nothing can be stored or read right now: try again in a moment.",
}
_RETRY_AFTER: Final = {
    "Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}}
}


def refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Descriptions of the refusals of an operation, for OpenAPI."""
    return {
        status: {"model": Refusal, "description": _REASONS[status]}
        | ({"headers": _RETRY_AFTER} if status == 429 else {})
        for status in statuses
    }


AT_A_TABLE: Final = refusals(400, 403, 404, 410)
CHANGING: Final = AT_A_TABLE | refusals(409)


def api_router(tag: str, prefix: str = "/api") -> APIRouter:
    """The routes of one kind for programs; operations are named after their functions."""
    return APIRouter(
        prefix=prefix,
        tags=[tag],
        responses=refusals(413, 421, 422, 429, 503),
        generate_unique_id_function=lambda route: route.name,
    )


def streamed(kind: str, description: str) -> dict[int | str, dict[str, Any]]:
    """The description of an answer that is not JSON."""
    return {200: {"description": description, "content": {kind: {"schema": {"type": "string"}}}}}
