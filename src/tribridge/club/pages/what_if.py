"""What if: another card than the one that was played, and what each player could have made.

Both are double dummy: from a card on, everybody plays as well as possible with all hands in sight.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from tribridge.cards.cards import Card
from tribridge.cards.deals import ByStrain, Deal, Seat
from tribridge.club.core.reviews import Analysis
from tribridge.club.pages.open_hands import Choice, plays
from tribridge.double_dummy.many import DealTask
from tribridge.game import Table
from tribridge.reviews.lines import PlayedLine, play_line


def line_from(before: Table, card: Card) -> tuple[Card, ...]:
    """A card, and the cards after it to the end of the deal."""
    assert before.position is not None
    return play_line(before.position, card, before.deal.deck)


def makeable(deal: Deal) -> tuple[ByStrain[int], ...]:
    """The tricks of North, East and South as declarer, in each strain."""
    return tuple(DealTask(deal, seat).solve() for seat in Seat)


@dataclass(frozen=True, slots=True)
class WhatIf:
    """A deal that goes on with another card, after so many tricks of that line."""

    played: PlayedLine
    every: list[Choice]
    """The cards of the deal up to the end of the line."""
    trick: int
    """0 if only the other card lies on the table; its own trick is the first."""

    @property
    def cards(self) -> list[Choice]:
        """Those that are played after the trick."""
        before = len(self.every) - len(self.played.cards)
        return self.every[: 4 * (before // 4 + self.trick) if self.trick else before + 1]

    @property
    def first(self) -> int:
        """The number of the first trick of the line, counted from 1 over the deal."""
        return (len(self.every) - len(self.played.cards)) // 4 + 1

    @property
    def last(self) -> int:
        return len(self.played.shown)


def what_if(
    before: Table, cards: Sequence[Card], names: Sequence[str], plates: Sequence[str], trick: int
) -> WhatIf:
    """A line from a position of a deal, up to one of its tricks.

    Sentences say `names`, beside the cards stands what the nameplates say.
    """
    assert before.position is not None
    played = PlayedLine(before.position, tuple(cards), decides=False, names=tuple(names))
    after = reduce(Table.play, cards, before)
    every = plays(after, plates, Analysis(len(after.history)))
    return WhatIf(played, every, max(0, min(trick, len(played.shown))))
