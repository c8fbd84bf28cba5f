"""Errors of the web table, each with its HTTP status."""

from __future__ import annotations

from typing import ClassVar

from tribridge.errors import TribridgeError


class WebError(TribridgeError):
    """A refused request; it changed nothing."""

    status: ClassVar[int] = 400


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
