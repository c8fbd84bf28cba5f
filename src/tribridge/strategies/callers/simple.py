"""Callers that count nothing but captures: pass, bid at random, and the paper's bidder.

The paper's bidder counts the captures of its hand by Algorithm 1 and bids them in notrump. In a
rubber it bids the level at which its captures are worth most, the lowest of equals: the level that
makes game, or one trick where overtricks count as much.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from numpy.random import Generator

from tribridge.capture.algorithm import Conditions, Result, algorithm1
from tribridge.capture.readings import NATURAL, READINGS, parse_reading
from tribridge.cards.cards import Deck, Hand, Strain
from tribridge.common.errors import quantity
from tribridge.game.auction import PASS, Bid
from tribridge.game.views import View
from tribridge.strategies.callers.points import RUBBER_FILES, rubber_payoffs
from tribridge.strategies.parameters import option
from tribridge.strategies.protocol import Choice


@dataclass(frozen=True, slots=True)
class PassCaller:
    """Never bids."""

    name: ClassVar[str] = "pass"
    version: ClassVar[int] = 1
    summary: ClassVar[str] = "always passes"

    def call(self, view: View, rng: Generator) -> Choice:
        return Choice(PASS, "Always passes.")


@dataclass(frozen=True, slots=True)
class RandomCaller:
    """Passes often, otherwise makes one of the cheapest bids."""

    name: ClassVar[str] = "random"
    version: ClassVar[int] = 1
    summary: ClassVar[str] = "passes or makes one of the next few bids at random"

    passing: float = option(0.6, "chance of passing", min=0, max=1)
    reach: int = option(5, "how many of the lowest bids it chooses from", min=1)

    def call(self, view: View, rng: Generator) -> Choice:
        bids = [call for call in view.legal if call is not PASS][: self.reach]
        if not bids or rng.random() < self.passing:
            return Choice(PASS, "Passed at random.")
        bid = bids[int(rng.integers(len(bids)))]
        return Choice(bid, f"Bid {bid} at random from the next {quantity(len(bids), 'bid')}.")


@lru_cache(maxsize=4096)
def _count(hand: Hand, deck: Deck, reading: str) -> Result:
    return algorithm1(hand, deck, reading=parse_reading(reading))


@dataclass(frozen=True, slots=True)
class CaptureCaller:
    """Bids what Algorithm 1 captures beyond the book, in notrump."""

    name: ClassVar[str] = "capture"
    version: ClassVar[int] = 1
    weights: ClassVar[tuple[str, ...]] = RUBBER_FILES
    summary: ClassVar[str] = "bids notrump at the level of Algorithm 1's captures, or passes"

    reading: str = option(NATURAL.name, "the reading of Algorithm 1", choices=tuple(READINGS))
    jump: bool = option(True, "bid the full level at once, as in the paper, not the lowest")
    standing: bool = option(True, "in a rubber, bid the level that is worth most")

    def call(self, view: View, rng: Generator) -> Choice:
        result = _count(view.dealt, view.deck, self.reading)
        level = min(result.captures - view.deck.book, view.deck.levels)
        if result.outcome is not Conditions.BOTH_HOLD:
            letter = result.outcome.value[0]
            return Choice(PASS, f"Condition {letter} of Algorithm 1 fails, so there is no bid.")
        if level < 1:
            return Choice(
                PASS,
                f"Algorithm 1 counts {quantity(result.captures, 'capture')}, too few for a bid.",
            )
        last = view.auction.last_bid
        payoffs = rubber_payoffs(view) if self.standing and self.jump else None
        fewest = level if self.jump and payoffs is None else 1
        bids = [Bid(at, Strain.NOTRUMP) for at in range(fewest, level + 1)]
        bids = [bid for bid in bids if last is None or bid > last]
        if bids:
            bid = bids[0]
            if payoffs is not None:
                tricks = min(result.captures, view.deck.hand_size)
                bid = max(bids, key=lambda candidate: float(payoffs.declaring(candidate)[tricks]))
            return Choice(
                bid, f"Algorithm 1 counts {quantity(result.captures, 'capture')}, enough for {bid}."
            )
        return Choice(
            PASS,
            f"Algorithm 1 counts {quantity(result.captures, 'capture')}, too few to outbid {last}.",
        )
