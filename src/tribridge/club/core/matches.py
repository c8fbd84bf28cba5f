"""What a table plays: a number of deals under a scheme, or a rubber under laws, and whose cards.

Nobody chooses the cards, and anyone can check that. Each match has a secret of 32 random bytes.
HMAC-SHA256 under it gives every deal a seed of 64 bits and a nonce of 32 bytes; the cards are those
of `tribridge.cards.dealer.deal(seed, number)`, numbered from 0 in the match. Before a deal the
table shows its commitment, the SHA-256 of `nonce:seed` (nonce in hexadecimal, seed in decimal);
afterwards, nonce and seed. The hash binds the server to the seed, the nonce keeps the seed from
being guessed, and the seed of one deal says nothing about the others.

>>> first = seal("00" * 32, 0)
>>> first.commitment == sha256(f"{first.nonce}:{first.seed}".encode()).hexdigest()
True
"""

from __future__ import annotations

import hmac
import re
import secrets
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from typing import Final

from tribridge.cards.cards import Deck
from tribridge.cards.deals import Seat
from tribridge.club.errors import WebError
from tribridge.game import Match, Rubber, find_scheme
from tribridge.game.laws import known_laws
from tribridge.game.match import MOST_DEALS as MOST_DEALS
from tribridge.game.scoring import Points, scheme_names
from tribridge.game.standing import NONE, Three, check_standing

DEFAULT_LAWS: Final = "auction-rubber"
"""What the page offers first: the richest bidding, by the study of schemes and laws."""
USUAL_DEALS: Final = {DEFAULT_LAWS: (3, 8)}
"""How many deals four of five rubbers take, as bots play them (`benchmarks.rubbers lengths`)."""
_DEALS: Final = 4


@dataclass(frozen=True, slots=True)
class Seal:
    """The seed of one deal, and what hides and proves it."""

    seed: int
    nonce: str

    @property
    def commitment(self) -> str:
        """The hash shown before the deal."""
        return sha256(f"{self.nonce}:{self.seed}".encode()).hexdigest()


@lru_cache(maxsize=10_000)
def seal(secret: str, deal: int) -> Seal:
    """The seed and the nonce of a deal of a match, from 0."""

    def derived(purpose: str) -> bytes:
        return hmac.digest(bytes.fromhex(secret), f"{purpose} {deal}".encode(), "sha256")

    return Seal(int.from_bytes(derived("seed")[:8], "big"), derived("nonce").hex())


@dataclass(frozen=True, slots=True)
class MatchPlan:
    """The settings of a match, as they are asked for and as a table stores them.

    A seed, or the secret of an earlier match, fixes the cards; the table says so.
    """

    seed: int | None = None
    first: int = 0
    """The number of the first deal of the seed."""
    deals: int | None = None
    """How many; by default four, and of a rubber as many as it takes."""
    scheme: str = "auction"
    doubles: bool = False
    deck: str = "4x13"
    secret: str | None = None
    """The secret behind the seeds of all deals; None if the match has one seed."""
    dealer: int = 0
    """The seat that deals first."""
    hints: bool = True
    """Whether the table allows hints and advice."""
    laws: str | None = None
    """The laws of a rubber, which then replace the scheme."""
    below: Three | None = None
    games: Three | None = None
    """The part scores and the games won with which a rubber begins."""
    known: bool = True
    """Whether the person who opened the table could know the cards."""

    def checked(self) -> MatchPlan:
        """The plan with all that was left open; refused if it cannot be played."""
        deals = self.deals
        if deals is None:
            deals = _DEALS if self.laws is None else MOST_DEALS
        if not 1 <= deals <= MOST_DEALS:
            raise WebError(
                "a match has 1 to {most} deals, not {number}", most=MOST_DEALS, number=deals
            )
        if self.laws is not None:
            laws = known_laws(self.laws)
            below, games = check_standing(laws, self.below or NONE, self.games or NONE)
            plan = replace(self, deals=deals, below=below, games=games)
        else:
            if self.scheme not in scheme_names():  # never a file: the name is a visitor's
                known = ", ".join(scheme_names())
                raise WebError(
                    "unknown scheme {scheme!r}: expected {known}", scheme=self.scheme, known=known
                )
            plan = replace(self, deals=deals)
        if self.seed is not None:
            if not (0 <= self.seed < 1 << 64 and 0 <= self.first < 1 << 62):
                raise WebError("the seed must be 0 to 2^64 - 1 and the deal number 0 to 2^62 - 1")
            return replace(plan, secret=None)
        if self.secret is None:
            return replace(plan, first=0, secret=secrets.token_hex(32), known=False)
        if not re.fullmatch(r"[0-9a-f]{64}", self.secret):
            raise WebError(
                "secret {secret!r}: expected 64 digits 0-9 and a-f", secret=self.secret[:80]
            )
        return replace(plan, first=0)

    def match(self) -> Match:
        """The match before its first deal."""
        deals = self.deals or _DEALS
        seed: int | tuple[int, ...] = self.seed or 0
        if self.secret is not None:
            seed = tuple(seal(self.secret, deal).seed for deal in range(deals))
        settings = (seed, deals, self.first, Seat(self.dealer), self.doubles, Deck(self.deck))
        if self.laws is None:
            return Match(find_scheme(self.scheme), *settings)
        laws = known_laws(self.laws)
        below, games = self.below or NONE, self.games or NONE
        rubber = Rubber(laws, Seat(self.dealer), below=below, games=games)
        return Match(laws, *settings, rubber)


def lead(match: Match, seat: Seat, without: int | None = None) -> Points:
    """How far a player is ahead of the best of the others, perhaps without one of the deals."""
    totals = list(match.totals())
    if without is not None:
        scored = match.lines[without].scores
        totals = [total - points for total, points in zip(totals, scored, strict=True)]
    return totals[seat] - max(totals[other] for other in Seat if other is not seat)


def decisive(match: Match) -> int | None:
    """The deal, from 0, that did most for whoever is ahead: without it the lead would be least.

    None while nobody is ahead alone.

    >>> from tribridge.game import Contract, Outcome
    >>> match = MatchPlan(laws="auction-rubber").match()
    >>> for contract, tricks in ("1C N", 7), ("3NT N", 9), ("1S E", 7):
    ...     match = match.add(Outcome(Contract(*contract.split()), tricks))
    >>> decisive(match)
    1
    """
    leader = next((seat for seat in Seat if lead(match, seat) > 0), None)
    if leader is None:
        return None
    return min(range(len(match.lines)), key=lambda at: lead(match, leader, at))
