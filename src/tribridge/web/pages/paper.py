"""The report on the paper, if `tribridge paper` has written it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from fastapi import APIRouter
from fastapi.responses import FileResponse, Response

from tribridge.web.errors import UnknownTableError
from tribridge.web.pages.drawing import page
from tribridge.web.server.access import ServerOf
from tribridge.web.server.guard import REPORT_POLICY, report_page_policy

router = APIRouter(include_in_schema=False)

_SHOWN: Final = frozenset({".html", ".svg", ".png", ".txt"})
_SAVED: Final = frozenset({".pdf", ".csv", ".parquet", ".json"})
"""What a browser downloads: its viewers do not run under the policy of the report."""


@router.get("/paper/")
async def paper(server: ServerOf) -> Response:
    """The report, or a page that says how to write it."""
    file = server.settings.paper / "index.html"
    if not file.is_file():
        return page("paper.html", folder=str(server.settings.paper))
    return _part(file)


@router.get("/paper/{name:path}")
async def paper_file(server: ServerOf, name: str) -> Response:
    """A figure or table of the report."""
    try:
        folder = server.settings.paper.resolve()
        file = (folder / name).resolve()
        good = file.is_relative_to(folder) and file.suffix in _SHOWN | _SAVED and file.is_file()
    except (OSError, ValueError):  # a name that no file can have
        good = False
    if not good:
        raise UnknownTableError("the report has no such part")
    return _part(file)


def _part(file: Path) -> Response:
    policy = report_page_policy() if file.suffix == ".html" else REPORT_POLICY
    headers = {"content-security-policy": policy}
    name = file.name if file.suffix in _SAVED else None
    return FileResponse(file, headers=headers, filename=name)
