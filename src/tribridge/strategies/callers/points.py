"""Bidding by points: Ace 4, King 3, Queen 2, Jack 1, and length for a trump suit.

The tricks that a hand may expect with an unknown dummy are two straight lines,

    notrump   2.605 + 0.34 for each point
    a suit    4.239 + 0.2629 for each point + 0.8182 for each trump over four (four or more)

which are least-squares fits to the training deals (`tribridge train estimators`). A bid is
made at the lowest level that the strain allows, as long as the expected tricks exceed it by a
margin.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from tribridge.cards import FULL_DECK, Deck, Hand, Strain
from tribridge.game.auction import PASS, Bid
from tribridge.game.views import View
from tribridge.strategies.parameters import option
from tribridge.strategies.protocol import Choice

if TYPE_CHECKING:
    from numpy.random import Generator

HONOURS: Final = (4, 3, 2, 1)
FEWEST_TRUMPS: Final = 4
NOTRUMP_LINE: Final = (2.605, 0.34)
"""Expected tricks in notrump: a constant, for each point."""
SUIT_LINE: Final = (4.239, 0.2629, 0.8182)
"""Expected tricks in a suit: a constant, for each point, for each trump over four."""


def honour_points(hand: Hand) -> int:
    """Ace 4, King 3, Queen 2, Jack 1.

    >>> from tribridge.cards import parse_hand
    >>> honour_points(parse_hand("AKQJ.432.432.432"))
    10
    """
    return sum(
        worth
        for suit in range(4)
        for rank, worth in enumerate(HONOURS)
        if hand.row(suit) >> rank & 1
    )


def expected_tricks(hand: Hand, strain: Strain, deck: Deck = FULL_DECK) -> float:
    """Expected tricks with an unknown dummy; scaled down for a smaller hand."""
    points = honour_points(hand)
    if strain is Strain.NOTRUMP:
        tricks = NOTRUMP_LINE[0] + NOTRUMP_LINE[1] * points
    elif hand.length(strain) < FEWEST_TRUMPS:
        return 0.0
    else:
        start, point, trump = SUIT_LINE
        tricks = start + point * points + trump * (hand.length(strain) - FEWEST_TRUMPS)
    return tricks * deck.hand_size / FULL_DECK.hand_size


@dataclass(frozen=True, slots=True)
class PointsCaller:
    """Counts points and length."""

    name: ClassVar[str] = "points"
    summary: ClassVar[str] = "counts high-card points and length and bids its best strain"

    margin: float = option(1.0, "tricks it wants to expect beyond the bid", min=-13, max=13)

    def call(self, view: View, rng: Generator) -> Choice:
        points = honour_points(view.dealt)
        last = view.auction.last_bid
        if last is not None and view.auction.bidder is view.seat:
            return Choice(PASS, f"The last bid, {last}, is already this player's.")
        best, most = None, 0.0
        for strain in view.deck.strains:
            level = 1 if last is None else last.level + (strain <= last.strain)
            if level > view.deck.levels:
                continue
            expected = expected_tricks(view.dealt, strain, view.deck)
            spare = expected - self.margin - view.deck.book - level
            if spare >= 0 and (best is None or spare > most):
                best, most, tricks = Bid(level, strain), spare, expected
        if best is None:
            aim = "a bid" if last is None else f"more than {last}"
            return Choice(PASS, f"{points} points are too few for {aim}.")
        held = view.dealt.length(best.strain) if best.strain is not Strain.NOTRUMP else 0
        trumps = f" and {held} trumps" if held else ""
        return Choice(best, f"{points} points{trumps} are worth {tricks:.1f} tricks: bid {best}.")
