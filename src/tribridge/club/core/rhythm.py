"""How long a bot waits before it acts: not always the same, as with people.

Only what everybody at the table sees has a say, and chance: a pause that depended on a hand would
tell about it.
"""

from __future__ import annotations

from random import Random
from typing import Final

from tribridge.game import Bid, Table

_OPENING: Final = 1.5
"""The lead, and the first card from dummy, which has just been laid out."""
_HIGH: Final = 1.4
"""A call above a bid of `_LEVEL` or more."""
_LEVEL: Final = 3
_LAST: Final = 0.8
"""The last card of a trick, and every card of the last tricks."""
_TRICKS: Final = 3
_SHORT: Final = 0.85
_LONG: Final = 1.25
"""Between these, chance."""


def rhythm(table: Table, number: int) -> float:
    """By how much a pause is longer than usual, for the event of a number.

    >>> import tribridge as tb
    >>> table = tb.new_table(seed=1)
    >>> 0.85 <= rhythm(table, 7) == rhythm(table, 7) <= 1.25
    True
    """
    factor, play = Random(number).uniform(_SHORT, _LONG), table.position
    if play is None:
        last = table.auction.last_bid
        return factor * (_HIGH if isinstance(last, Bid) and last.level >= _LEVEL else 1.0)
    if not play.tricks and len(play.trick) < 2:
        return factor * _OPENING
    left = table.deal.deck.hand_size - len(play.tricks)
    return factor * (_LAST if len(play.trick) == 3 or left <= _TRICKS else 1.0)
