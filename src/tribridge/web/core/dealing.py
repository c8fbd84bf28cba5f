"""Deals that nobody chose, and how anyone can check that.

Each match has a secret of 32 random bytes. HMAC-SHA256 under it gives every deal a seed of 64 bits
and a nonce of 32 bytes; the cards are those of `tribridge.dealer.deal(seed, number)`, numbered from
0 in the match. Before a deal the table shows its commitment, the SHA-256 of `nonce:seed` (nonce in
hexadecimal, seed in decimal); afterwards, nonce and seed. The hash binds the server to the seed,
the nonce keeps the seed from being guessed, and the seed of one deal says nothing about the others.

>>> first = seal("00" * 32, 0)
>>> first.commitment == sha256(f"{first.nonce}:{first.seed}".encode()).hexdigest()
True
"""

from __future__ import annotations

import hmac
import re
import secrets
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256

from tribridge.web.errors import WebError


@dataclass(frozen=True, slots=True)
class Seal:
    """The seed of one deal, and what hides and proves it."""

    seed: int
    nonce: str

    @property
    def commitment(self) -> str:
        """The hash shown before the deal."""
        return sha256(f"{self.nonce}:{self.seed}".encode()).hexdigest()


def new_secret() -> str:
    """A secret that nobody has seen."""
    return secrets.token_hex(32)


def check_secret(text: str) -> str:
    """Check the secret of a match to be replayed."""
    if not re.fullmatch(r"[0-9a-f]{64}", text):
        raise WebError("secret {secret!r}: expected 64 digits 0-9 and a-f", secret=text[:80])
    return text


@lru_cache(maxsize=10_000)
def seal(secret: str, deal: int) -> Seal:
    """The seed and the nonce of a deal of a match, from 0."""

    def derived(purpose: str) -> bytes:
        return hmac.digest(bytes.fromhex(secret), f"{purpose} {deal}".encode(), "sha256")

    return Seal(int.from_bytes(derived("seed")[:8], "big"), derived("nonce").hex())
