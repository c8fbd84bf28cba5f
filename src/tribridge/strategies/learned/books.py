"""Where the books decide: maxims that a network trained against itself does not come to play.

A maxim's card takes the place of the network's when the network hardly prefers its own, and when it
follows from what the books agree on: partner's suit led against notrump, the rule of eleven,
holding up in dummy's long suit by partner's count, one of two touching honours in second hand, a
high ruff in front of declarer (the uppercut), no finesse against a hand that has shown out, and
losers ruffed before trumps are drawn. On thousands of deals this cost no points
(`data/learning/points/books.jsonl`); finesses, drops and cashing by maxims did.

Which maxims, and the limit `NEAR`, were chosen by looking at the textbook positions, so how many
book cards are played there is no measure of strength (docs/explanation/sets.md).
"""

from __future__ import annotations

from typing import Final

from tribridge.cards.cards import Card
from tribridge.game.position import NO_TRUMP, Position
from tribridge.strategies.players.maxims.declarer import ruffing_lead
from tribridge.strategies.players.maxims.follow import cut_off, rule_of_eleven
from tribridge.strategies.players.suits import above, masters

NEAR: Final = 2.5
"""A card is hardly preferred if it is at most e to this power times as likely as another."""
_HONOURS: Final = 0b1111
"""From the ace to the jack."""
_TEN: Final = 4
_LENGTH: Final = 3
"""Fewest cards of the suit that partner bid to lead it from, against notrump."""
_FEW: Final = 2
"""Most cards of the suit led that may be out when declarer may well have none."""


def binding(s: Position, card: Card, agreed: bool) -> bool:
    """Whether a maxim's card for a position is played whatever the network prefers.

    `agreed`: the network expects no fewer tricks from it than from its favourite.
    """
    if not s.trick:
        return (agreed and _ruffing(s, card)) if s.declaring else _partners_suit(s, card)
    suit, place, best = s.trick[0].row, len(s.trick), s.best()[1]
    row, out, dummy = s.row(s.mine, suit), s.row(s.unseen, suit), s.row(s.dummy, suit)
    if card.row != suit:
        ruffs = card.row == s.trump and s.chair == 3 and place == 2  # in front of declarer
        return ruffs and not s.row(s.mine, s.trump) & _HONOURS and out.bit_count() <= _FEW
    if best.row != suit:
        return False
    if s.declaring:
        settled = place == 2 and bool(s.voids[s.chair - 1 & 3] >> suit & 1)
        return settled and card.column < best.column and not above(out, card.column)
    if place == 2:
        return s.chair == 3 and rule_of_eleven(s, suit, row, dummy)
    if masters(above(row, best.column), out | dummy):
        return cut_off(s, suit, row) is not None
    honours = row & _HONOURS
    return place == 1 and honours & honours << 1 > 0 and card.column < _TEN < best.column


def _ruffing(s: Position, card: Card) -> bool:
    """Whether declarer leads a card for a ruff in the hand with fewer trumps."""
    pick = ruffing_lead(s)
    return pick is not None and pick[0] == card


def _partners_suit(s: Position, card: Card) -> bool:
    """Whether an opening lead against notrump is of the suit that partner bid last."""
    own = bool(s.bids) and card.row == s.bids[0] and s.row(s.mine, card.row).bit_count() >= _LENGTH
    return own and not s.tricks and s.trump == NO_TRUMP
