"""Logs: what went wrong, each line with the request in which it did.

A log names no visitor, no address and no table's page: those are secrets of the people there. A
request has an id, which its response carries as `X-Request-ID`, so that somebody who tells of an
error can be helped. With `--log-json` every line is a JSON object.
"""

from __future__ import annotations

import json
import logging
import time
from contextvars import ContextVar
from typing import Final

REQUEST: Final[ContextVar[str]] = ContextVar("request", default="")
"""The id of the request that is being answered."""


class JsonLines(logging.Formatter):
    """Writes each record as a JSON object on one line."""

    def format(self, record: logging.LogRecord) -> str:
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        line = {
            "time": f"{stamp}.{record.msecs:03.0f}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if REQUEST.get():
            line["request"] = REQUEST.get()
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


def write_json() -> None:
    """Write all logs as JSON lines."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
