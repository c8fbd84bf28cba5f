"""The key of a device: who has it has the games that were played with it. There are no accounts.

A key is 13 random bytes and two that check them, in base 32: six groups of four letters and digits.
The server stores only a hash of it.
"""

from __future__ import annotations

import secrets
from base64 import b32decode, b32encode
from hashlib import sha256
from typing import Final

from tribridge.web.errors import NotNowError

_RANDOM: Final = 13
_CHECK: Final = 2
_LETTERS: Final = 24
_GROUP: Final = 4
_LOOKALIKES: Final = str.maketrans("018", "OIB")


def new_key() -> str:
    """A key that nobody has."""
    drawn = secrets.token_bytes(_RANDOM)
    text = b32encode(drawn + _check(drawn)).decode()
    return "-".join(text[at : at + _GROUP] for at in range(0, _LETTERS, _GROUP))


def read_key(text: str) -> str:
    """A key as a person may type it; refused if it is not one.

    >>> key = new_key()
    >>> read_key(key.lower().replace("-", " ")) == key
    True
    """
    letters = "".join(c for c in text.upper() if c.isalnum()).translate(_LOOKALIKES)
    wrong = NotNowError(
        "that is not a key: a key has {number} letters and digits, and one of them is wrong or "
        "missing",
        number=_LETTERS,
    )
    if len(letters) != _LETTERS:
        raise wrong
    try:
        whole = b32decode(letters.encode("ascii"))
    except ValueError:  # not ASCII, or not base 32
        raise wrong from None
    if _check(whole[:_RANDOM]) != whole[_RANDOM:]:
        raise wrong
    return "-".join(letters[at : at + _GROUP] for at in range(0, _LETTERS, _GROUP))


def device_of_key(key: str) -> str:
    """The name under which the server stores the games of a key; it does not give the key away."""
    return sha256(b"tribridge device " + key.encode()).hexdigest()[:32]


def _check(drawn: bytes) -> bytes:
    return sha256(drawn).digest()[:_CHECK]
