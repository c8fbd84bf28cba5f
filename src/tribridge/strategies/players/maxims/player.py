"""Play by the maxims of the card table: second hand low, third hand high, and so on.

No search and no sampling: the first maxim that fits a position decides. Leads are in `declarer`
and `defence`, following suit in `follow` and `third_hand`, ruffs and discards in `ruff`. The search
players use the same rules to break ties and to play positions out quickly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from tribridge.cards import ALL_CARDS, Card
from tribridge.game.position import Position
from tribridge.game.views import View
from tribridge.strategies.players.maxims.declarer import declarer_lead
from tribridge.strategies.players.maxims.defence import defender_lead
from tribridge.strategies.players.maxims.follow import follow
from tribridge.strategies.players.maxims.ruff import ruff_or_discard
from tribridge.strategies.protocol import Choice, position_of

if TYPE_CHECKING:
    from numpy.random import Generator


def maxim(position: Position) -> tuple[Card, str]:
    """The card that the maxims play, and the maxim."""
    legal = position.legal_mask()
    if not legal & (legal - 1):
        card = ALL_CARDS[legal.bit_length() - 1]
        return card, f"{card} is the only legal card."
    if not position.trick:
        return declarer_lead(position) if position.declaring else defender_lead(position)
    if position.row(position.mine, position.trick[0] // 13):
        return follow(position)
    return ruff_or_discard(position)


def clause(reason: str) -> str:
    """A maxim's sentence as it reads after a colon or a semicolon.

    Examples:
        >>> clause("Third hand high: ♣A.")
        'third hand high: ♣A.'
    """
    return reason[:1].lower() + reason[1:]


@dataclass(frozen=True, slots=True)
class MaximsPlayer:
    """Plays by rules of thumb."""

    name: ClassVar[str] = "maxims"
    version: ClassVar[int] = 1
    summary: ClassVar[str] = "plays by the maxims: second hand low, third hand high, cover, finesse"

    def card(self, view: View, rng: Generator) -> Choice:
        card, reason = maxim(position_of(view))
        return Choice(card, reason)
