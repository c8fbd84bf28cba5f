"""The operations of the API: how they are refused, and forms of pages that do the same.

An operation is a plain function of FastAPI: a request, parts of the path, a body. `form` serves it
to pages, too: what a program writes into the path or the JSON body, a page sends as fields of a
form. Unknown fields are refused in JSON.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, TypeVar
from urllib.parse import parse_qsl

from fastapi import APIRouter, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from pydantic import TypeAdapter, ValidationError
from starlette.routing import Route

from tribridge.club.language import Text, mark
from tribridge.club.server.access import keyed, visit
from tribridge.club.server.guard import MOST_BYTES, MOST_UPLOADED
from tribridge.club.view.values import value


@value
class Refusal:
    """A refused request; it changed nothing."""

    error: str
    """What was refused and why, in one line."""


_REASONS: Final = {
    400: "The table cannot be opened with these settings, or the device key is malformed.",
    403: "You do not hold that seat, it is not your turn, the table is not yours, or a page of "
    "another site asked.",
    404: "There is no such table, finished deal, challenge, league or puzzle.",
    409: "The table has moved on since `at`: read it and decide again.",
    410: "The stored events of this table are damaged.",
    413: f"The body is longer than {MOST_BYTES} bytes; {MOST_UPLOADED} for an import.",
    421: "The server does not answer to the host name of this request.",
    422: "The rules do not allow it, or the request does not fit its description.",
    429: "Too many requests, tables, streams or messages; see `Retry-After`.",
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


_OBJECT: Final = mark("{field}: a JSON object is expected")
_LIST: Final = mark("{field}: a list is expected")
_TEXT: Final = mark("{field}: a text is expected")
_WHOLE: Final = mark("{field}: a whole number is expected")
_NUMBER: Final = mark("{field}: a number is expected")
_EITHER: Final = mark("{field}: true or false is expected")
_ONE_OF: Final = mark("{field}: one of these is expected: {expected}")
_UNKNOWN: Final = mark("{field}: there is no such field")
_MALFORMED: Final = {
    "missing": mark("{field} is missing"),
    "json_invalid": mark("the body of the request is not JSON: {error}"),
    "int_type": _WHOLE,
    "int_parsing": _WHOLE,
    "int_from_float": _WHOLE,
    "int_parsing_size": _WHOLE,
    "float_type": _NUMBER,
    "float_parsing": _NUMBER,
    "bool_type": _EITHER,
    "bool_parsing": _EITHER,
    "string_type": _TEXT,
    "string_too_long": mark("{field}: at most {max_length} characters are expected"),
    "string_too_short": mark("{field}: at least {min_length} characters are expected"),
    "too_long": mark("{field}: at most {max_length} are expected"),
    "greater_than_equal": mark("{field}: at least {ge} is expected"),
    "less_than_equal": mark("{field}: at most {le} is expected"),
    "literal_error": _ONE_OF,
    "enum": _ONE_OF,
    "extra_forbidden": _UNKNOWN,
    "unexpected_keyword_argument": _UNKNOWN,
    "list_type": _LIST,
    "tuple_type": _LIST,
    "dict_type": _OBJECT,
    "model_type": _OBJECT,
    "model_attributes_type": _OBJECT,
    "dataclass_type": _OBJECT,
}
"""What is wrong with a request that does not fit its description, by pydantic's name for it."""


def malformed(error: RequestValidationError) -> Text:
    """What is wrong with a request, in plain words: the first of all that is."""
    first = error.errors()[0]
    told = _MALFORMED.get(first["type"], "{field}: {said}")
    given = first["type"] == "json_invalid"  # whose place is a number of characters
    named = "" if given else ".".join(str(part) for part in first["loc"][1:])
    field = named or Text(mark("the body of the request"))
    return Text(told, **{"field": field, "said": str(first["msg"]), **first.get("ctx", {})})


forms: Final[list[Route]] = []
"""The routes of all forms, to be tried first."""
_ENCODED: Final = "application/x-www-form-urlencoded"
Operation = TypeVar("Operation", bound=Callable[..., Awaitable[Any]])


def form(
    router: APIRouter,
    path: str,
    body: type[Any] | None = None,
    *,
    named: Sequence[str] = (),
    page: Callable[[Any, Any], Response | Awaitable[Response]],
    dependencies: Sequence[Any] = (),
) -> Callable[[Operation], Operation]:
    """Serve an operation as a form at `path`, too; `page` answers it.

    The operation takes the request, the fields that are `named`, and the others as its `body`.
    """
    adapter = None if body is None else TypeAdapter(body)

    def decorate(operation: Operation) -> Operation:
        async def by_form(request: Request) -> Response:
            table = request.path_params.get("table")
            here = await (keyed(request) if table is None else visit(table, request))
            sent = await _fields(request)
            answer = await operation(here, *_sent(sent, named, body, adapter))
            shown = page(here.now, answer)
            return shown if isinstance(shown, Response) else await shown

        if dependencies:
            router.post(path, dependencies=dependencies)(by_form)
        else:  # a plain route: it takes a third of the time of one that FastAPI prepares
            forms.append(Route(f"{router.prefix}{path}", by_form, methods=["POST"]))
        return operation

    return decorate


async def _fields(request: Request) -> dict[str, Any]:
    """What a form sends, with the parts of its path."""
    if request.headers.get("content-type", "").startswith(_ENCODED):
        sent: Mapping[str, Any] = dict(parse_qsl((await request.body()).decode("latin-1"), True))
    else:
        sent = await request.form()
    return {**sent, **request.path_params}


def _sent(
    fields: Mapping[str, Any],
    named: Sequence[str],
    body: type[Any] | None,
    adapter: TypeAdapter[Any] | None,
) -> list[Any]:
    """The arguments of an operation that are among the fields of a form; others are ignored."""
    missing = {"type": "missing", "msg": "Field required"}
    errors: list[Any] = [missing | {"loc": (name,)} for name in named if name not in fields]
    values = [fields.get(name) for name in named]
    if adapter is not None and body is not None:
        known = body.__dataclass_fields__
        try:
            given = {name: value for name, value in fields.items() if name in known}
            values.append(adapter.validate_python(given))
        except ValidationError as error:
            errors += error.errors()
    if errors:
        raise RequestValidationError(
            [{**error, "loc": ("body", *error["loc"])} for error in errors]
        )
    return values
