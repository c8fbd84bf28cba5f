"""The device key: a visitor is recognised without an account.

It is a random number in a cookie (programs send it as `X-Device-Key`). Only its hash is stored, so
the table file does not let anyone pose as a visitor.
"""

from __future__ import annotations

import re
import secrets
from hashlib import sha256
from typing import Final

from fastapi import Request
from fastapi.responses import Response

from tribridge.web.errors import WebError

COOKIE: Final = "device"
HEADER: Final = "X-Device-Key"
_KEY: Final = re.compile(r"[0-9a-f]{32}")
_YEAR: Final = 365 * 86400


def new_device() -> str:
    """A key that nobody has."""
    return secrets.token_hex(16)


def check_device(key: str) -> str:
    """A device key that a program sent; refused if it cannot be one."""
    if not _KEY.fullmatch(key):
        raise WebError(f"{HEADER} {key[:40]!r}: expected 32 digits 0-9 and a-f")
    return key


def device_of(request: Request) -> str | None:
    """The key of the visitor's device; None if it has none."""
    sent = request.headers.get(HEADER)
    if sent is not None:
        return check_device(sent)
    key = request.cookies.get(COOKIE, "")
    return key if _KEY.fullmatch(key) else None


def player_key(device: str | None) -> str:
    """The name under which a device's results are stored; empty without a device.

    >>> player_key("00" * 16)
    'd:374708fff7719dd5979ec875d56cd228'
    """
    return "" if device is None else f"d:{sha256(bytes.fromhex(device)).hexdigest()[:32]}"


def give_device(response: Response, device: str) -> Response:
    """Let a browser keep its key."""
    response.set_cookie(COOKIE, device, max_age=_YEAR, httponly=True, samesite="lax")
    return response
