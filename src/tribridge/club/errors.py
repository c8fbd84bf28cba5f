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

    def __init_subclass__(cls, status: int) -> None:
        cls.status = status

    def __init__(self, message: str, /, **fields: Any) -> None:
        text = message if isinstance(message, Words) else Text(message, **fields)
        super().__init__(text)
        self.text = text


class UnknownTableError(WebError, status=404):
    """No such table, deal or page."""


class NotYoursError(WebError, status=403):
    """An action without the seat's token, or out of turn."""


class StaleError(WebError, status=409):
    """The table has moved on since the page that the request came from."""


class TooManyError(WebError, status=429):
    """More requests than a person makes."""


class NotStoredError(WebError, status=503):
    """A change that could not be stored, or a table that cannot be read right now."""


class BusyError(WebError, status=503):
    """More than a server can hold."""


class DamagedError(WebError, status=410):
    """A table with damaged events; it cannot be opened."""


class NotNowError(WebError, status=422):
    """Something that is not possible at this point of the game."""
