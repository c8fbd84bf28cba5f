"""A player for Tribridge in its own package."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from numpy.random import Generator

import tribridge as tb


@dataclass(frozen=True)
class Stingy:
    """Plays its lowest card, or with some probability its highest."""

    name: ClassVar[str] = "stingy"
    summary: ClassVar[str] = "plays its lowest card, and a high one now and then"

    lavish: float = tb.option(0.0, "chance of playing the highest card", min=0, max=1)

    def card(self, view: tb.View, rng: Generator) -> tb.Choice:
        """A legal card, chosen from the view and the generator alone, with a reason."""
        cards = sorted((card for card in view.legal if isinstance(card, tb.Card)), key=_rank)
        if self.lavish and rng.random() < self.lavish:
            return tb.Choice(cards[0], f"{cards[0]} for once.")
        return tb.Choice(cards[-1], f"{cards[-1]} is the lowest card.")


def _rank(card: tb.Card) -> int:
    return card.rank.index
