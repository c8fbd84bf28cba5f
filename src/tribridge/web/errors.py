"""Errors of the web table, each with its HTTP status."""

from __future__ import annotations

from typing import Any, ClassVar

from tribridge.errors import TribridgeError
from tribridge.web.language import Text


class WebError(TribridgeError):
    """A refused request; it changed nothing.

    Its message is a text of the pages: fields are filled in, and pages say it in their language.

    >>> print(NotYoursError("only the host, {name}, can start the match", name="Ann"))
    only the host, Ann, can start the match
    """

    status: ClassVar[int] = 400

    def __init__(self, message: str, /, **fields: Any) -> None:
        text = message if isinstance(message, Text) else Text(message, **fields)
        super().__init__(text)
        self.text = text


class UnknownTableError(WebError):
    """No such table, deal or page."""

    status = 404


class NotYoursError(WebError):
    """An action without the seat's token, or out of turn."""

    status = 403


class StaleError(WebError):
    """The table has moved on since the page that the request came from."""

    status = 409


class TooManyError(WebError):
    """More requests than a person makes."""

    status = 429


class NotStoredError(WebError):
    """A change that could not be stored, or a table that cannot be read right now."""

    status = 503


class DamagedError(WebError):
    """A table with damaged events; it cannot be opened."""

    status = 410


class NotNowError(WebError):
    """Something that is not possible at this point of the game."""

    status = 422
