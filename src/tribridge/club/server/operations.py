"""The operations of the API: how they are refused, and one function for a form and an operation.

`changes` gives a function a form for pages and an operation of the API. Its parameters after the
`Visit` are what is sent: form fields on a page, fields of the JSON body or parts of the path of a
program. Unknown fields are refused in JSON.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import field, fields, make_dataclass
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, Final
from urllib.parse import parse_qsl

from fastapi import APIRouter, Depends, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from pydantic import TypeAdapter, ValidationError
from starlette.routing import Route

from tribridge.club.server.access import Asked, Visit, visit
from tribridge.club.server.guard import MOST_BYTES, MOST_UPLOADED
from tribridge.club.view.table import SeatView
from tribridge.club.view.values import value
from tribridge.common.docstrings import docstring


@value
class Refusal:
    """A refused request; it changed nothing."""

    error: str
    """What was refused and why, in one line."""


_REASONS: Final = {
    400: "The table cannot be opened with these settings, or the device key is malformed.",
    403: "You do not hold that seat, it is not your turn, the table is not yours, or a page of "
    "another site asked.",
    404: "There is no such table, finished deal, challenge or puzzle.",
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


forms: Final[list[Route]] = []
"""The routes of all forms, to be tried first."""
_ENCODED: Final = "application/x-www-form-urlencoded"
Handler = Callable[..., Awaitable[Any]]


def changes(
    router: APIRouter,
    api: APIRouter,
    path: str,
    operation: str | None = None,
    *,
    asks: Callable[..., Awaitable[Any]] = visit,
    page: Callable[[Any, Any], Response | Awaitable[Response]],
    answers: Any = SeatView,
    **options: Any,
) -> Callable[[Handler], Handler]:
    """Serve a function as a form at `path`, answered by `page`, and as an operation.

    `asks` makes the first argument of a request. A program gets what the function returns, or by
    default the table as its seat sees it then.
    """

    def decorate(handler: Handler) -> Handler:
        operated = operation or path
        sent = list(signature(handler, eval_str=True).parameters.values())[1:]
        in_path = [one for one in sent if f"{{{one.name}}}" in operated]
        form, body = (
            _body(handler, some) for some in (sent, [x for x in sent if x not in in_path])
        )
        adapter: TypeAdapter[Any] = TypeAdapter(form)
        names = [one.name for one in sent]

        async def by_form(request: Request) -> Response:
            named = {"table": request.path_params["table"]} if asks is visit else {}
            here = await asks(request=request, **named)
            values = _given(await _form(request, names, adapter))
            here = await _caught_up(here, values)
            answer = await handler(here, **values)
            shown = page(here.now, answer)
            return shown if isinstance(shown, Response) else await shown

        async def by_program(here: Any, body: Any = None, **named: Any) -> Any:
            here = await _caught_up(here, _given(body))
            answer = await handler(here, **_given(body), **named)
            return here.now.view if answer is None else answer

        parameters = [
            _parameter("here", Annotated[Any, Depends(asks)]),
            *(_parameter(x.name, str) for x in in_path),
        ]
        if len(sent) > len(in_path):
            needed = any(one.default is Parameter.empty for one in sent if one not in in_path)
            whole = _parameter("body", body if needed else body | None)
            parameters.append(whole if needed else whole.replace(default=None))
        by_program.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
        if "dependencies" in options:
            router.post(path, dependencies=options["dependencies"])(by_form)
        else:  # a plain route: it takes a third of the time of one that FastAPI prepares
            forms.append(Route(f"{router.prefix}{path}", by_form, methods=["POST"]))
        described: dict[str, Any] = {"name": handler.__name__, "description": docstring(handler)}
        described |= {"response_model": answers, "responses": CHANGING}
        api.post(operated, **described, **options)(by_program)
        return handler

    return decorate


async def _caught_up(here: Asked, values: Mapping[str, Any]) -> Asked:
    """The request, after the event that it follows: another server may have stored that one."""
    if isinstance(here, Visit) and here.server.rooms.behind(here.room, values.get("at") or 0):
        await here.server.rooms.catch_up(here.room)
        return here.now
    return here


def _parameter(name: str, kind: Any) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, annotation=kind)


def _body(handler: Handler, sent: list[Parameter]) -> type[Any]:
    """What is sent, as a value: one class for forms and JSON."""
    name = "".join(word.capitalize() for word in handler.__name__.split("_"))
    parts = [
        (one.name, one.annotation)
        if one.default is Parameter.empty
        else (one.name, one.annotation, field(default=one.default))
        for one in sent
    ]
    made = make_dataclass(name, parts, frozen=True, kw_only=True)
    made.__doc__, made.__module__ = handler.__doc__, handler.__module__
    made.__pydantic_config__ = {"extra": "forbid"}  # type: ignore[attr-defined]
    return made


async def _form(request: Request, names: list[str], adapter: TypeAdapter[Any]) -> Any:
    """What a form sends of what it can send."""
    form: Mapping[str, Any] = dict(parse_qsl((await request.body()).decode("latin-1"), True))
    if not request.headers.get("content-type", "").startswith(_ENCODED):
        form = await request.form()
    form = {**form, **request.path_params}
    try:
        return adapter.validate_python({name: form[name] for name in names if name in form})
    except ValidationError as error:
        errors = [{**one, "loc": ("body", *one["loc"])} for one in error.errors()]
        raise RequestValidationError(errors) from None


def _given(body: Any) -> dict[str, Any]:
    return {part.name: getattr(body, part.name) for part in fields(body)} if body else {}
