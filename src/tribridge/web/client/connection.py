"""Requests to the JSON API of a table server, and its stream of events."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.client import HTTPException
from typing import Any, Final
from urllib.error import HTTPError
from urllib.parse import quote, urlsplit
from urllib.request import Request, urlopen

from tribridge.errors import FormatError, RunError

_SECONDS: Final = 30.0
"""Silence after which a connection counts as lost; a stream says something every 15 seconds."""
_PASSING: Final = frozenset({429, 502, 503, 504})
"""Statuses of a server that is busy, or of a proxy whose server is away."""


class AwayError(RunError):
    """A server that cannot be reached or is not able to answer right now."""


class RefusedError(RunError):
    """A request that the server refused."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class Connection:
    """A table server, by its address without a path."""

    def __init__(self, server: str) -> None:
        self.server = server

    def ask(self, path: str, body: object = None, token: str | None = None) -> Any:
        """The JSON of `/api` + path; with a body it is a POST."""
        with self._open(path, body, token) as answer:
            try:
                return json.loads(answer.read())
            except ValueError:
                raise AwayError(f"{self.server} does not answer as a Tribridge table") from None
            except (OSError, HTTPException) as error:
                raise AwayError(f"cannot reach {self.server}: {_reason(error)}") from None

    def views(self, table: str, token: str, after: int) -> Iterator[dict[str, Any]]:
        """The views of a seat after each event, until the connection is lost."""
        path = f"/tables/{quote(table)}/events?after={after}"
        with self._open(path, None, token) as answer:
            kind, data = "", ""
            while True:
                try:
                    line = answer.readline().decode()
                except (OSError, HTTPException, ValueError) as error:
                    raise AwayError(f"lost {self.server}: {_reason(error)}") from None
                if not line:
                    raise AwayError(f"lost {self.server}: it closed the connection")
                name, _, value = line.rstrip("\r\n").partition(": ")
                if name == "event":
                    kind, data = value, ""
                elif name == "data":
                    data += value
                elif not name and kind == "table":
                    yield json.loads(data)
                    kind = ""

    def _open(self, path: str, body: object, token: str | None) -> Any:
        headers = {"accept": "application/json"}
        if token is not None:
            headers["authorization"] = f"Bearer {token}"
        data = None
        if body is not None:
            data, headers["content-type"] = json.dumps(body).encode(), "application/json"
        try:
            return urlopen(Request(f"{self.server}/api{path}", data, headers), timeout=_SECONDS)
        except HTTPError as error:
            with error:
                text = _error_text(error)
            if error.code in _PASSING:
                raise AwayError(f"{self.server} cannot answer now: {text}") from None
            raise RefusedError(error.code, text) from None
        except (OSError, HTTPException) as error:
            raise AwayError(f"cannot reach {self.server}: {_reason(error)}") from None


def split_address(url: str) -> tuple[str, str | None]:
    """The server and the table in the address of a server or of a table's page.

    >>> split_address("http://127.0.0.1:8013/table/abc"), split_address("https://cards.example/")
    (('http://127.0.0.1:8013', 'abc'), ('https://cards.example', None))
    """
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    if not good:
        raise FormatError(
            f"cannot read address {url!r}: expected that of a server or a table, as in "
            "http://127.0.0.1:8013/table/NAME"
        )
    server = f"{parts.scheme}://{parts.netloc}"
    base, found, table = parts.path.rpartition("/table/")
    if not found:
        return server + parts.path.rstrip("/"), None
    return server + base, table.split("/")[0] or None


def _error_text(error: HTTPError) -> str:
    try:
        return str(json.loads(error.read())["error"])
    except (OSError, HTTPException, ValueError, KeyError, TypeError):
        return f"status {error.code}"


def _reason(error: Exception) -> str:
    reason = getattr(error, "reason", error)
    return getattr(reason, "strerror", None) or str(reason) or type(reason).__name__
