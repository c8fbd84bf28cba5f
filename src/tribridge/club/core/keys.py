"""What lets somebody in: the token of a seat, and the key of a device. There are no accounts.

The token of a seat names a table, a seat and how often that seat had been taken, and carries an
HMAC of the three. It cannot be made without the server's secret, is of no use at another table or
seat, and dies when the seat is given to someone else.

Who has the key of a device has the games that were played with it. A key is 13 random bytes and two
that check them, in base 32: six groups of four letters and digits. The server stores only a hash of
it.
"""

from __future__ import annotations

import hmac
import secrets
from base64 import b32decode, b32encode
from functools import lru_cache
from hashlib import sha256
from typing import Final

from tribridge.cards.deals import Seat
from tribridge.club.errors import NotNowError

_RANDOM: Final = 13
_CHECK: Final = 2
_LETTERS: Final = 24
_LOOKALIKES: Final = str.maketrans("018", "OIB")


def seat_token(secret: bytes, table: str, seat: Seat, serial: int) -> str:
    """The token of the `serial`-th holder of a seat."""
    head = f"{table}.{seat.letter}.{serial}"
    return f"{head}.{hmac.new(secret, head.encode(), sha256).hexdigest()[:32]}"


@lru_cache(maxsize=4096)
def read_token(secret: bytes, table: str, token: str) -> tuple[Seat, int] | None:
    """The seat and serial of a token for this table; None if it is not valid.

    >>> token = seat_token(b"key", "t1", Seat.EAST, 2)
    >>> read_token(b"key", "t1", token) == (Seat.EAST, 2)
    True
    >>> read_token(b"key", "t2", token), read_token(b"other", "t1", token)
    (None, None)
    """
    parts = token.split(".")
    if len(parts) != 4 or parts[0] != table or not parts[2].isdecimal():
        return None
    try:
        seat, serial = Seat(parts[1]), int(parts[2])
    except ValueError:
        return None
    valid = hmac.compare_digest(token.encode(), seat_token(secret, table, seat, serial).encode())
    return (seat, serial) if valid else None


def new_key() -> str:
    """A key of a device that nobody has."""
    drawn = secrets.token_bytes(_RANDOM)
    return _grouped(b32encode(drawn + _check(drawn)).decode())


def read_key(text: str) -> str:
    """The key of a device as a person may type it; refused if it is not one.

    >>> key = new_key()
    >>> read_key(key.lower().replace("-", " ")) == key
    True
    """
    letters = "".join(c for c in text.upper() if c.isalnum()).translate(_LOOKALIKES)
    try:
        whole = b32decode(letters.encode("ascii"))
    except ValueError:  # not ASCII, or not base 32
        whole = b""
    if len(letters) != _LETTERS or _check(whole[:_RANDOM]) != whole[_RANDOM:]:
        raise NotNowError(
            "that is not a key: a key has {number} letters and digits, and one of them is wrong or "
            "missing",
            number=_LETTERS,
        )
    return _grouped(letters)


def device_of_key(key: str) -> str:
    """The name under which the server stores the games of a key; it does not give the key away."""
    return sha256(b"tribridge device " + key.encode()).hexdigest()[:32]


def _grouped(letters: str) -> str:
    return "-".join(letters[at : at + 4] for at in range(0, _LETTERS, 4))


def _check(drawn: bytes) -> bytes:
    return sha256(drawn).digest()[:_CHECK]
