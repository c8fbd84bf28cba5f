"""Contracts for zero-sum play: one per deal, by a rule that is independent of the strategies.

Trumps are the longest suit of declarer and dummy together if they hold at least 8 of its 13 cards
(the higher suit in a tie), else the contract is notrump; a strain can also be given. Declarer and
level are set by one of two rules.

`forecast`, the default, uses only the cards of declarer and dummy: the players declare in turn by
deal number, at the level of the most likely number of tricks, and at least 1. That number comes
from the forecast, or for decks other than the full one, from double dummy on random layouts of the
defenders' cards. So the contract tells declarer nothing about the defenders' cards, and a defender
nothing about partner's; about declarer's hand it tells the defenders what a bid would.

`double-dummy` sets the level to the tricks that double dummy makes, so a single trick decides every
contract. The declarer is the player who has the most points together with the hidden hand (ace 4,
king 3, queen 2, jack 1); the next in turn in a tie. A strategy can infer hidden cards from such a
contract, and one that learns from such games will.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from tribridge.cards.cards import FULL_DECK, Deck, Hand, Strain, cards_of
from tribridge.cards.deals import Deal, Seat
from tribridge.common.errors import SettingError
from tribridge.double_dummy.solving import DoubleDummy
from tribridge.game.auction import PASS, Bid, Call, Contract
from tribridge.game.tricks import chair_hands

FORECAST: Final = "forecast"
DOUBLE_DUMMY: Final = "double-dummy"
RULES: Final = (FORECAST, DOUBLE_DUMMY)
_LAYOUTS: Final = 20
_FIT = 8, 13


@dataclass(frozen=True, slots=True)
class Setting:
    """A contract, and the tricks that declarer makes double dummy."""

    contract: Contract
    double_dummy: int

    @property
    def calls(self) -> tuple[Call, ...]:
        """The auction that produces it if declarer is the dealer: bid, pass, pass."""
        return self.contract.bid, PASS, PASS


def check_rule(rule: str) -> None:
    """Raise `SettingError` for an unknown contract rule."""
    if rule not in RULES:
        raise SettingError(f"unknown contract rule {rule!r}: expected {' or '.join(RULES)}")


def set_contract(
    deal: Deal,
    number: int,
    strain: Strain | None = None,
    truth: DoubleDummy | None = None,
    rule: str = FORECAST,
) -> Setting:
    """The contract of a deal by a rule, in the given strain or the best fit."""
    check_rule(rule)
    deck = deal.deck
    order = [Seat((number + at) % 3) for at in range(3)]
    declarer = order[0]
    if rule == DOUBLE_DUMMY:
        # In a tie, the next in turn.
        declarer = max(order, key=lambda seat: _both(deal, seat).hcp)
    if strain is None:
        strain = best_strain(_both(deal, declarer), deck)
    truth = truth or DoubleDummy(deck)
    tricks = truth.tricks(chair_hands(deal, declarer), strain)
    aim = tricks
    if rule == FORECAST:
        aim = likely_tricks(deal, declarer, strain, truth)
    level = min(max(aim - deck.book, 1), deck.levels)
    return Setting(Contract(Bid(level, strain), declarer), tricks)


def likely_tricks(deal: Deal, declarer: Seat, strain: Strain, truth: DoubleDummy) -> int:
    """The most likely number of tricks given the cards of declarer and dummy."""
    if deal.deck == FULL_DECK:
        from tribridge.forecast import forecast

        return int(np.argmax(forecast(deal.hands[declarer], deal.hidden)[strain].chances))
    hand, left, dummy, right = chair_hands(deal, declarer)
    unseen = [card.bit for card in cards_of(left | right)]
    random = np.random.default_rng([hand, dummy])  # the same for the same two hands
    counts = np.zeros(deal.deck.hand_size + 1)
    for _ in range(_LAYOUTS):
        places = random.permutation(len(unseen))[: deal.deck.hand_size]
        leader = sum(unseen[at] for at in places)
        counts[truth.tricks((hand, leader, dummy, sum(unseen) - leader), strain)] += 1
    return int(np.argmax(counts))


def best_strain(cards: Hand, deck: Deck) -> Strain:
    """The longest suit of two hands if it is long enough, else notrump."""
    lengths = [cards.row(suit).bit_count() for suit in range(deck.suits)]
    longest = max(lengths)
    enough, of = _FIT
    if of * longest < enough * deck.ranks:
        return Strain.NOTRUMP
    return Strain(max(suit for suit in range(deck.suits) if lengths[suit] == longest))


def _both(deal: Deal, seat: Seat) -> Hand:
    return Hand(deal.hands[seat].mask | deal.hidden.mask)
