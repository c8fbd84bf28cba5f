"""The contracts of zero-sum play: one for each deal, by a rule that knows no strategy.

The declarer is the player whose cards and the hidden hand's hold the most points (Ace 4, King 3,
Queen 2, Jack 1); of equals the one whose turn it is by the number of the deal. Trumps are the suit
that the two hands hold most of, if that is 8 of 13 or more (the higher of equals), else there are
none; a strain can be asked for instead. The level is what double dummy makes, and 1 at least: so
the contract stands or falls with a trick, where play matters most.
"""

from __future__ import annotations

from dataclasses import dataclass

from tribridge.cards import Deck, Hand, Strain
from tribridge.deals import Deal, Seat
from tribridge.game.auction import PASS, Bid, Call, Contract
from tribridge.game.tricks import chair_hands
from tribridge.truth.double_dummy import DoubleDummy

_FIT = 8, 13


@dataclass(frozen=True, slots=True)
class Setting:
    """A contract, and the tricks that its declarer makes when all cards are seen."""

    contract: Contract
    double_dummy: int

    @property
    def calls(self) -> tuple[Call, ...]:
        """The auction that leads to it when the declarer deals: bid, pass, pass."""
        return self.contract.bid, PASS, PASS


def set_contract(
    deal: Deal, number: int, strain: Strain | None = None, truth: DoubleDummy | None = None
) -> Setting:
    """The contract of a deal, in a strain of its own choice or the one asked for."""
    deck = deal.deck
    first = number % 3
    order = [Seat((first + at) % 3) for at in range(3)]
    declarer = max(order, key=lambda seat: _points(_both(deal, seat)))  # the first of equals
    if strain is None:
        strain = best_strain(_both(deal, declarer), deck)
    truth = truth or DoubleDummy(deck)
    tricks = truth.tricks(chair_hands(deal, declarer), strain)
    level = min(max(tricks - deck.book, 1), deck.levels)
    return Setting(Contract(Bid(level, strain), declarer), tricks)


def best_strain(cards: Hand, deck: Deck) -> Strain:
    """The suit that 26 cards hold most of, if they hold enough of it; else No Trump."""
    lengths = [cards.row(suit).bit_count() for suit in range(deck.suits)]
    longest = max(lengths)
    enough, of = _FIT
    if of * longest < enough * deck.ranks:
        return Strain.NOTRUMP
    return Strain(max(suit for suit in range(deck.suits) if lengths[suit] == longest))


def _both(deal: Deal, seat: Seat) -> Hand:
    return Hand(deal.hands[seat].mask | deal.hidden.mask)


def _points(cards: Hand) -> int:
    return sum(4 - rank for suit in range(4) for rank in range(4) if cards.row(suit) >> rank & 1)
