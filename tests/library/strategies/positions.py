"""Positions to ask strategies about, written in a line."""

from __future__ import annotations

from tribridge.cards.cards import FULL_DECK, Card, Deck
from tribridge.cards.deals import Deal, Seat
from tribridge.game.auction import PASS, Bid, parse_call
from tribridge.game.table import Table, new_table
from tribridge.game.views import View, view


def at_table(dealt: Deal, bid: str, cards: str = "", declarer: Seat = Seat.NORTH) -> Table:
    """A table where a bid was passed out to its bidder and these cards were played."""
    call = parse_call(bid)
    assert isinstance(call, Bid)
    table = new_table(dealt, declarer).apply(call).apply(PASS).apply(PASS)
    for name in cards.split():
        table = table.apply(Card(name))
    return table


def seen(declarer: str, left: str, dummy: str, right: str, bid: str, cards: str = "") -> View:
    """What the player to act sees: North declares, the hands are named by their chairs."""
    dealt = Deal(f"N:{declarer} {left} {right} {dummy}", FULL_DECK)
    table = at_table(dealt, bid, cards)
    return view(table, table.turn)


def full_hands(deck: Deck, *hands: str) -> Deal:
    """A deal of a small deck."""
    return Deal("N:" + " ".join(hands), deck)


def card(name: str) -> Card:
    return Card(name)
