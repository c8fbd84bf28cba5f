"""All deals that a seat cannot tell from the true one, by trying every deal under the rules."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from tests.game.playing import actions_of
from tribridge.cards import Card, Hand
from tribridge.deals import Deal, Seat
from tribridge.game.table import Table, new_table
from tribridge.game.view import view

Masks = tuple[int, ...]


def _shares(cards: tuple[Card, ...], sizes: list[int]) -> Iterator[list[Hand]]:
    """All ways to deal cards into hands of these sizes."""
    if not sizes:
        yield []
        return
    for chosen in combinations(cards, sizes[0]):
        rest = tuple(card for card in cards if card not in chosen)
        for others in _shares(rest, sizes[1:]):
            yield [Hand.from_cards(chosen), *others]


def consistent(table: Table, seat: Seat | None) -> list[Masks]:
    """Every deal on which the same actions are legal and the seat has the same view."""
    deal = table.deal
    seen = {seat} if seat is not None else set()
    if table.play is not None:
        seen.add(3)  # type: ignore[arg-type]
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
