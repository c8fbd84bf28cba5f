"""What a bot says, as people at a table do: by what all have seen, and seldom."""

from __future__ import annotations

from typing import Final

from tribridge.cards.deals import Seat
from tribridge.club.core.chat import PHRASES
from tribridge.club.view.table import SeatView
from tribridge.game import Contract

_LUCK, _GAME, _APPLAUSE, _SMILE, _SURPRISE = (PHRASES[at] for at in (1, 6, 8, 9, 10))
_HIGH: Final = 4
"""The level from which a contract that makes is worth a word; at notrump the third."""
_FAR: Final = -2


def remark(s: SeatView) -> tuple[Seat, str] | None:
    """Who says what as a match begins, or as a deal has ended; None if nobody does."""
    bots = [place.seat for place in s.places if not (place.person or place.away)]
    people = [place.seat for place in s.places if place.person]
    if not (s.started and bots and people) or s.chat == "off" or s.form:
        return None
    speaker = bots[s.deal % len(bots)]
    if s.ended is None:
        return (speaker, _LUCK) if s.deal == 1 and not s.calls else None
    contract = s.ended.outcome.contract
    if s.over and (contract is not None or s.deals > 1):
        return speaker, _GAME
    if contract is None:
        return None
    over = s.ended.outcome.tricks - contract.tricks_needed(s.deck)
    if over < 0:
        own = contract.declarer in bots and (over <= _FAR or contract.factor > 1)
        return (contract.declarer, _SURPRISE) if own else None
    if not _bold(contract):
        return None
    return (contract.declarer, _SMILE) if contract.declarer in bots else (speaker, _APPLAUSE)


def _bold(contract: Contract) -> bool:
    """Whether a contract is doubled, or as high as a game."""
    level = contract.bid.level + (contract.bid.strain.trump is None)
    return contract.factor > 1 or level >= _HIGH
