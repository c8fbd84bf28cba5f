"""Seats are held by signed tokens.

A token names a table, a seat and how often that seat had been taken, and carries an HMAC of the
three. It cannot be made without the server's secret, is of no use at another table or seat, and
dies when the seat is given to someone else.
"""

from __future__ import annotations

import hmac
from hashlib import sha256

from tribridge.deals import Seat, parse_seat
from tribridge.errors import FormatError


def seat_token(secret: bytes, table: str, seat: Seat, serial: int) -> str:
    """The token of the `serial`-th holder of a seat."""
    head = f"{table}.{seat.letter}.{serial}"
    return f"{head}.{_sign(secret, head)}"


def read_token(secret: bytes, table: str, token: str) -> tuple[Seat, int] | None:
    """The seat and serial of a token for this table; None if it is not valid.

    >>> token = seat_token(b"key", "t1", Seat.EAST, 2)
    >>> read_token(b"key", "t1", token) == (Seat.EAST, 2)
    True
    >>> read_token(b"key", "t2", token), read_token(b"other", "t1", token)
    (None, None)
    """
    head, _, sign = token.rpartition(".")
    if not hmac.compare_digest(sign.encode(), _sign(secret, head).encode()):
        return None
    parts = head.split(".")
    if len(parts) != 3 or parts[0] != table or not parts[2].isdecimal():
        return None
    try:
        return parse_seat(parts[1]), int(parts[2])
    except FormatError:
        return None


def _sign(secret: bytes, head: str) -> str:
    return hmac.new(secret, head.encode(), sha256).hexdigest()[:32]
