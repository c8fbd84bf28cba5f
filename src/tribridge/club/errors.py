"""Errors of the web table, each with its HTTP status."""

from __future__ import annotations

from typing import Any, ClassVar

from tribridge.club.language import Text
from tribridge.common.errors import TribridgeError
from tribridge.common.sentences import Words


class WebError(TribridgeError):
    """A refused request; it changed nothing.

    Its message is a text of the pages: fields are filled in, and pages say it in their language.

    >>> print(NotYoursError("only the host, {name}, can start the match", name="Ann"))
    only the host, Ann, can start the match
    """

    status: ClassVar[int] = 400
    reason: ClassVar[str] = "settings"
    """By which refusals are counted."""

    def __init_subclass__(cls, status: int, reason: str) -> None:
        cls.status, cls.reason = status, reason

    def __init__(self, message: str, /, **fields: Any) -> None:
        text = message if isinstance(message, Words) else Text(message, **fields)
        super().__init__(text)
        self.text = text


class UnknownTableError(WebError, status=404, reason="unknown"):
    """No such table, deal or page."""


class NotYoursError(WebError, status=403, reason="not_yours"):
    """An action without the seat's token, or out of turn."""


class StaleError(WebError, status=409, reason="stale"):
    """The table has moved on since the page that the request came from."""


class TooManyError(WebError, status=429, reason="too_many"):
    """More requests than a person makes."""


class NotStoredError(WebError, status=503, reason="not_stored"):
    """A change that could not be stored, or a table that cannot be read right now."""


class BusyError(WebError, status=503, reason="busy"):
    """More than a server can hold."""


class DamagedError(WebError, status=410, reason="damaged"):
    """A table with damaged events; it cannot be opened."""


class NotNowError(WebError, status=422, reason="not_now"):
    """Something that is not possible at this point of the game."""
