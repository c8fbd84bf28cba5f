"""What the table refuses, each with the HTTP status that says so."""

from __future__ import annotations

from typing import ClassVar

from tribridge.errors import TribridgeError


class WebError(TribridgeError):
    """A request that is refused; nothing was changed by it."""

    status: ClassVar[int] = 400


class UnknownTableError(WebError):
    """No such table, deal or page."""

    status = 404


class NotYoursError(WebError):
    """A seat acted for without its token, or out of turn."""

    status = 403


class StaleError(WebError):
    """The table has moved on since the page that the request came from."""

    status = 409


class TooManyError(WebError):
    """More requests than a person makes."""

    status = 429


class NotStoredError(WebError):
    """A change that could not be written, or a table that cannot be read at the moment."""

    status = 503


class DamagedError(WebError):
    """A table whose events do not lead anywhere; it was set aside."""

    status = 410


class NotNowError(WebError):
    """Something that is not possible at this moment of the table."""

    status = 422
