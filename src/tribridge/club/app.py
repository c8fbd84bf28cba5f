"""The application: rooms, pages and error handling put together.

Every module of `pages/` with a `router` (pages) or an `api` (operations for programs) is served.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Container
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from tribridge import __version__
from tribridge.club import pages
from tribridge.club.core.bots import levels
from tribridge.club.core.open_store import open_store
from tribridge.club.core.store import SqliteStore, Store
from tribridge.club.core.workers import Workers
from tribridge.club.errors import WebError
from tribridge.club.language import gettext, mark, translated
from tribridge.club.pages.static_files import VersionedFiles
from tribridge.club.pages.templates import compile_all, page
from tribridge.club.server.access import Server, asked_of
from tribridge.club.server.access import Settings as Settings
from tribridge.club.server.bans import Bans
from tribridge.club.server.guard import Answers, Buckets, Guard, refused
from tribridge.club.server.operations import forms, malformed
from tribridge.common.errors import RunError, TribridgeError

_LOG: Final = logging.getLogger("tribridge.club")
_DAY: Final = 86400
_REFUSED: Final = 422
_DETAILS: Final = (mark("Method Not Allowed"),)
"""What the framework says about requests that no page answers."""


def create_app(
    settings: Settings, store: Store | None = None, workers: Workers | None = None
) -> FastAPI:
    """The application; it opens what it is not given when it starts, and closes everything."""
    buckets = Buckets(settings.rate, settings.burst) if settings.rate else None
    answers = Answers()
    bans: Container[str] = () if settings.bans is None else Bans(settings.bans)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        opened = await asyncio.to_thread(open_store, settings.data) if store is None else store
        thinkers = workers or _workers(settings.processes, opened)
        app.state.server = Server(settings, opened, thinkers, buckets, answers, bans)
        aside = [_expire(opened, settings.keep), _back_up(opened, settings.backup)]
        if workers is None:
            aside.append(_get_ready(thinkers))
        tasks = asyncio.gather(*aside)
        try:
            yield
        finally:
            tasks.cancel()
            await asyncio.gather(tasks, return_exceptions=True)
            await app.state.server.close()
            thinkers.close()
            await asyncio.to_thread(opened.close)

    app = FastAPI(
        title="Tribridge",
        version=__version__,
        description="Three-player auction bridge: open tables, sit down, call and play.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
    )
    # What tables are asked comes first: routes are searched one after the other.
    names = sorted((m.name for m in iter_modules(pages.__path__)), key=lambda n: n != "table")
    modules = [import_module(f"{pages.__name__}.{name}") for name in names]
    # Not `include_router`: it would make all routes, which are as they are, again.
    app.router.routes.extend(forms)
    for module in modules:
        for routes in ("router", "api"):
            if hasattr(module, routes):
                app.router.routes.extend(getattr(module, routes).routes)
    app.mount("/static", VersionedFiles(), name="static")
    app.add_exception_handler(TribridgeError, _refused)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(RequestValidationError, _refused)
    app.add_middleware(
        Guard,
        buckets=buckets,
        hosts=settings.hosts,
        public_url=settings.public_url,
        bans=bans,
        answers=answers,
    )
    return app


def _workers(processes: int, store: Store) -> Workers:
    """The worker processes of a server, and of others where a store is shared."""
    if not store.shared:
        return Workers(processes)
    from tribridge.club.server.jobs import SharedWorkers

    return SharedWorkers(processes, store)


async def _get_ready(workers: Workers) -> None:
    """Prepare what the first visitor would wait for."""
    await asyncio.to_thread(compile_all)
    await workers.get_ready(level.strategy for level in levels())


async def _expire(store: Store, days: float) -> None:
    """Delete abandoned tables, now and every day."""
    while True:
        await store.apart(store.expire, days)
        await asyncio.sleep(_DAY)


async def _back_up(store: Store, path: Path | None) -> None:
    """Copy a file of tables, now and every day."""
    while path is not None and isinstance(store, SqliteStore):
        try:
            await store.apart(store.back_up, path)
        except RunError as error:  # the next one may succeed
            _LOG.error("%s", error)
        await asyncio.sleep(_DAY)


def _refused(request: Request, error: Exception) -> Response:
    """An error in the form the client can use: JSON, one line, or a page."""
    headers: dict[str, str] = {}
    if isinstance(error, WebError):
        status, text, reason = error.status, translated(error.text), error.reason
    elif isinstance(error, HTTPException):
        status, text, reason = error.status_code, gettext(str(error.detail)), "unknown"
        if status == 404:
            text = gettext("there is nothing at this address")
        headers = dict(error.headers or {})
    elif isinstance(error, RequestValidationError):
        status, text, reason = _REFUSED, translated(malformed(error)), "malformed"
        if error.errors()[0]["loc"][0] == "path" and not request.url.path.startswith("/api/"):
            status, text = 404, gettext("there is nothing at this address")
    else:
        status, text, reason = _REFUSED, str(error), "rules"
    request.app.state.server.answers.refusals[reason] += 1
    if status == 429:
        headers["retry-after"] = "1"
    path = request.url.path
    if not asked_of(request).for_reading:
        return refused(path, text, status, headers)
    response = page("error.html", status=status, text=text, importing=path == "/me/import")
    response.status_code = status
    return response
