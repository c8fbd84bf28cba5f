"""The paper's bidder: Algorithm 1 counts the captures of one hand and bids them in notrump."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

from tribridge.capture.algorithm import Conditions, Result, algorithm1
from tribridge.capture.readings import NATURAL, READINGS, parse_reading
from tribridge.cards import Deck, Hand, Strain
from tribridge.game.auction import PASS, Bid
from tribridge.game.views import View
from tribridge.strategies.parameters import option
from tribridge.strategies.protocol import Choice

if TYPE_CHECKING:
    from numpy.random import Generator


@lru_cache(maxsize=64)
def _count(hand: Hand, deck: Deck, reading: str) -> Result:
    return algorithm1(hand, deck, reading=parse_reading(reading))


@dataclass(frozen=True, slots=True)
class CaptureCaller:
    """Bids what Algorithm 1 captures beyond the book, in notrump."""

    name: ClassVar[str] = "capture"
    summary: ClassVar[str] = "bids notrump at the level of Algorithm 1's captures, or passes"

    reading: str = option(NATURAL.name, "the reading of Algorithm 1", choices=tuple(READINGS))
    jump: bool = option(True, "bid the full level at once, as in the paper, not the lowest")

    def call(self, view: View, rng: Generator) -> Choice:
        result = _count(view.dealt, view.deck, self.reading)
        level = min(result.captures - view.deck.book, view.deck.levels)
        if result.outcome is not Conditions.BOTH_HOLD:
            letter = result.outcome.value[0]
            return Choice(PASS, f"Condition {letter} of Algorithm 1 fails, so there is no bid.")
        if level < 1:
            return Choice(
                PASS, f"Algorithm 1 counts {result.captures} captures, too few for a bid."
            )
        last = view.auction.last_bid
        for at in range(level if self.jump else 1, level + 1):
            bid = Bid(at, Strain.NOTRUMP)
            if last is None or bid > last:
                return Choice(
                    bid, f"Algorithm 1 counts {result.captures} captures, enough for {bid}."
                )
        return Choice(
            PASS, f"Algorithm 1 counts {result.captures} captures, too few to outbid {last}."
        )
