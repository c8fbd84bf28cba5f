"""The static files, and the service worker, which makes the pages an app.

Styles and scripts are linked with a version, a hash of all static files, so browsers and the
service worker may keep them for ever. Pages are never kept: they show what only one person may see.
"""

from __future__ import annotations

import json
import os
from functools import cache
from hashlib import sha256
from importlib import resources
from typing import Final

from fastapi import APIRouter
from fastapi.responses import Response
from fastapi.staticfiles import StaticFiles
from starlette.types import Scope

router = APIRouter(include_in_schema=False)

_FOLDER: Final = resources.files("tribridge.web").joinpath("static")
_WORKER: Final = "sw.js"


@cache
def _files() -> dict[str, bytes]:
    """The static files by name, without the licences."""
    files = sorted((one for one in _FOLDER.iterdir() if one.is_file()), key=lambda one: one.name)
    return {one.name: one.read_bytes() for one in files}


@cache
def static_version() -> str:
    """A hash of all static files."""
    digest = sha256()
    for name, content in _files().items():
        digest.update(f"{name} {len(content)} ".encode() + content)
    return digest.hexdigest()[:12]


def static_url(name: str) -> str:
    """The address of a static file that may be kept for ever."""
    return f"/static/{name}?v={static_version()}"


class VersionedFiles(StaticFiles):
    """Static files; those asked for by their current version may be kept."""

    def file_response(
        self,
        full_path: str | os.PathLike[str],
        stat_result: os.stat_result,
        scope: Scope,
        status_code: int = 200,
    ) -> Response:
        response = super().file_response(full_path, stat_result, scope, status_code)
        current = scope["query_string"] == f"v={static_version()}".encode()
        response.headers["cache-control"] = (
            "public, max-age=31536000, immutable" if current else "no-cache"
        )
        return response


def static_files() -> VersionedFiles:
    """The application that serves the static files."""
    return VersionedFiles(directory=str(_FOLDER))


@router.get("/sw.js")
async def service_worker() -> Response:
    """The service worker, with the version and the files that it keeps."""
    kept = [static_url(name) for name in _files() if name != _WORKER]
    text = _files()[_WORKER].decode()
    text = text.replace('"VERSION"', json.dumps(static_version()))
    text = text.replace('["FILES"]', json.dumps(["/offline", *kept]))
    return Response(text, media_type="text/javascript", headers={"cache-control": "no-cache"})
