"""Brute force: all deals that a seat cannot tell from the true one; and a simple model of calls."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from tests.library.game.playing import actions_of
from tribridge.cards.cards import Card, Hand
from tribridge.cards.deals import Deal, Seat
from tribridge.cards.masks import F64, U64
from tribridge.game.auction import Auction, Bid, Call
from tribridge.game.table import Table, new_table
from tribridge.game.views import view

Masks = tuple[int, ...]


def _shares(cards: tuple[Card, ...], sizes: list[int]) -> Iterator[list[Hand]]:
    """All ways to deal cards into hands of these sizes."""
    if not sizes:
        yield []
        return
    for chosen in combinations(cards, sizes[0]):
        rest = tuple(card for card in cards if card not in chosen)
        for others in _shares(rest, sizes[1:]):
            yield [Hand(chosen), *others]


def consistent(table: Table, seat: Seat | None) -> list[Masks]:
    """Every deal on which the same actions are legal and the seat has the same view."""
    deal = table.deal
    seen = {seat.index} if seat is not None else set()
    if table.position is not None:
        seen.add(3)
    hidden = [hand for hand in range(4) if hand not in seen]
    cards = tuple(card for hand in hidden for card in deal.hands[hand])
    here = view(table, seat)
    found = []
    for share in _shares(cards, [len(deal.hands[hand]) for hand in hidden]):
        hands = list(deal.hands)
        for hand, given in zip(hidden, share, strict=True):
            hands[hand] = given
        other = _replay(Deal.of(hands, deal.deck), table)
        if other is not None and view(other, seat) == here:
            found.append(tuple(hand.mask for hand in hands))
    return found


def _replay(deal: Deal, table: Table) -> Table | None:
    """The same actions on another deal; None where the rules forbid one."""
    other = new_table(deal, table.dealer, doubles=table.auction.doubles)
    for action in actions_of(table):
        if not other.can(action):
            return None
        other = other.apply_unchecked(action)
    return other


@dataclass(frozen=True)
class AceCalls:
    """A player who is nine times as likely to bid when holding the Ace of Clubs."""

    def likelihood(self, hands: U64, seat: Seat, auction: Auction, call: Call) -> F64:
        ace = (hands & np.uint64(1)).astype(np.float64)
        bids = len(auction.legal) - 1
        bid = 0.1 + 0.8 * ace
        return np.asarray(bid / bids if isinstance(call, Bid) else 1 - bid)
