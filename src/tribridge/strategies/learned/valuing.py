"""What each legal card is worth: declarer's tricks over layouts that its player can imagine.

Layouts are drawn by the beliefs of the network that plays, which has heard the calls and seen the
plays so far, and by how likely experts would have made these plays (`search.likely`). A network
that sees all hands says what strong players would make of each layout after every card
(`search.after_each`). Endings, which that network does not know exactly, are also solved double
dummy. What is proved (`players.sure`) replaces what is estimated.
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
from tribridge.strategies.learned.player import beside_plays, heads
from tribridge.strategies.learned.search import EXPERTS, PlayedBy, after_each, believed, likely
from tribridge.strategies.players.search.evaluation import Clock, value_layouts
from tribridge.strategies.players.search.sampling import trick_table
from tribridge.strategies.protocol import position_of

if TYPE_CHECKING:
    from numpy.random import Generator

F64 = NDArray[np.float64]

LAYOUTS: Final = 200
"""Layouts on which hints and reviews value cards."""
_ENDING: Final = 6
"""Tricks played before an ending, which is also solved."""
_SOLVED: Final = 100
"""Most layouts of an ending."""
_EXACT: Final = 0.6
"""What double dummy counts for in an ending."""
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


def value_legal_cards(
    view: View,
    layouts: int,
    rng: Generator,
    *,
    solve_endings: bool = False,
    played_by: PlayedBy | None = EXPERTS,
) -> Valued:
    """The legal cards over `layouts` layouts, or over all if there are fewer; on the full deck.

    With `solve_endings`, fewer are drawn near the end, and double dummy has a say in them. Without
    anybody by whom the hidden hands are played, the cards played tell nothing beside the beliefs.
    """
    ending = solve_endings and len(view.tricks) >= _ENDING
    count = min(layouts, _SOLVED) if ending else layouts
    steps = steps_of(view)
    belief = heads(observe(view), steps)[1]
    if played_by is None:
        drawn = believed(view, belief, count, rng, _DRAWN)
    else:
        belief = beside_plays(view, belief, played_by, steps)
        drawn = likely(view, belief, played_by, count, rng, _DRAWN)
    hands, weights, whole = drawn
    valued = Valued(hands, weights, whole, *after_each(view, hands))
    return _solved(view, valued) if ending else valued


def _solved(view: View, valued: Valued) -> Valued:
    """The same with what double dummy says of the layouts; of the only one it alone speaks."""
    drawn = [(a, b, c, d) for a, b, c, d in valued.hands.tolist()]
    clock = Clock(None)  # the result must not depend on the machine
    solved = value_layouts(position_of(view), view.deck, drawn, clock)
    tricks = trick_table([layout.values for layout in solved], valued.cards)
    exact = np.eye(valued.chances.shape[-1])[tricks]
    said = 1.0 if valued.whole and len(drawn) == 1 else _EXACT
    return replace(valued, chances=(1 - said) * valued.chances + said * exact)
