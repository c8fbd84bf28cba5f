"""Styles, scripts and pictures, and the service worker that makes the pages an app.

They are linked with a version, a hash of all of them, so browsers and the service worker may keep
them for ever.
"""

from __future__ import annotations

import gzip
import json
import os
from functools import cache
from hashlib import sha256
from importlib import resources
from pathlib import Path
from typing import Final

from fastapi import APIRouter
from fastapi.responses import Response
from fastapi.staticfiles import StaticFiles
from starlette.datastructures import Headers
from starlette.types import Scope

router = APIRouter(include_in_schema=False)

_FOLDER: Final = resources.files("tribridge.club").joinpath("static")
_WORKER: Final = "sw.js"


@cache
def _files() -> dict[str, bytes]:
    """The static files by name, without the licences."""
    files = sorted(
        (file for file in _FOLDER.iterdir() if file.is_file()), key=lambda file: file.name
    )
    return {file.name: file.read_bytes() for file in files}


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


@cache
def _packed(name: str) -> bytes:
    return gzip.compress(_files()[name], 9, mtime=0)


class VersionedFiles(StaticFiles):
    """Static files; those asked for by their current version may be kept, and texts are packed."""

    def __init__(self) -> None:
        super().__init__(directory=str(_FOLDER))

    def file_response(
        self,
        full_path: str | os.PathLike[str],
        stat_result: os.stat_result,
        scope: Scope,
        status_code: int = 200,
    ) -> Response:
        response: Response = super().file_response(full_path, stat_result, scope, status_code)
        current = scope["query_string"] == f"v={static_version()}".encode()
        name, accepted = Path(full_path).name, Headers(scope=scope).get("accept-encoding", "")
        if current and "gzip" in accepted and name.endswith((".css", ".js")):
            packed = {"content-encoding": "gzip", "vary": "accept-encoding"}
            response = Response(_packed(name), headers=packed, media_type=response.media_type)
        response.headers["cache-control"] = (
            "public, max-age=31536000, immutable" if current else "no-cache"
        )
        return response


@router.get("/sw.js")
async def service_worker() -> Response:
    """The service worker, with the version and the files that it keeps."""
    addresses = [static_url(name) for name in _files() if name != _WORKER]
    text = _files()[_WORKER].decode()
    text = text.replace('"VERSION"', json.dumps(static_version()))
    text = text.replace('["FILES"]', json.dumps(["/offline", *addresses]))
    return Response(text, media_type="text/javascript", headers={"cache-control": "no-cache"})
