"""What each legal card is worth: declarer's tricks over layouts that its player can imagine.

Layouts are drawn by the beliefs of the network that plays, which has heard the calls and seen the
plays so far, and a network that sees all hands says what strong players would make of each after
every card (`search.after_each`). What is proved (`players.sure`) replaces what is estimated.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from tribridge.cards.cards import Card
from tribridge.game.position import Position
from tribridge.game.views import View
from tribridge.networks.play import I64, observe, steps_of
from tribridge.strategies.learned.player import heads
from tribridge.strategies.learned.search import after_each, believed

if TYPE_CHECKING:
    from numpy.random import Generator

F64 = NDArray[np.float64]

_DRAWN: Final = 10
"""Layouts drawn for each one kept by the beliefs."""


@dataclass(frozen=True)
class Valued:
    """The legal cards of a view over layouts."""

    hands: I64
    """The layouts: cards left by chair."""
    weights: F64
    whole: bool
    """Whether these are all layouts."""
    cards: tuple[Card, ...]
    chances: F64
    """Of declarer's tricks: (layouts, cards, 14)."""

    def proved(self, position: Position, sure: Iterable[Card]) -> Valued:
        """The same without what is impossible after a card that is sure to decide the contract."""
        chances = self.chances.copy()
        makes = np.arange(chances.shape[-1]) >= position.needed
        for card in sure:
            at = self.cards.index(card)
            left = np.where(makes == position.declaring, np.maximum(chances[:, at], 1e-12), 0)
            chances[:, at] = left / left.sum(1, keepdims=True)
        return replace(self, chances=chances)

    def means(self) -> F64:
        """The chances of declarer's tricks after each card, over all layouts: (cards, 14)."""
        means: F64 = np.tensordot(self.weights / self.weights.sum(), self.chances, 1)
        return means


def value_legal_cards(view: View, layouts: int, rng: Generator) -> Valued:
    """The legal cards over `layouts` layouts, or over all if there are fewer; on the full deck."""
    belief = heads(observe(view), steps_of(view))[1]
    hands, weights, whole = believed(view, belief, layouts, rng, _DRAWN)
    return Valued(hands, weights, whole, *after_each(view, hands))
