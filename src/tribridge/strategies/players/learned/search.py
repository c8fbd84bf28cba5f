"""Search with the network: double dummy on layouts drawn by the network's beliefs.

The network estimates for every unseen card which of the two hidden hands holds it. A layout's
weight is the product of these chances over the unseen cards. Many layouts that fit the view are
drawn uniformly, some of them are kept by weight, and each is solved double dummy after every legal
card. Of the cards that are best on average, within the error of it, the network chooses.

`benchmarks/decisions.py` compares this with other weights, numbers of layouts and rules of choice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from tribridge import beliefs
from tribridge.cards import Card
from tribridge.game.tricks import Chair
from tribridge.game.views import View
from tribridge.strategies.players.learned.games import I64
from tribridge.strategies.players.learned.network import F32
from tribridge.strategies.players.learned.observation import CHAIRS, RANKS, SUITS
from tribridge.strategies.players.search.evaluation import Clock, Valuation
from tribridge.strategies.protocol import position_of

if TYPE_CHECKING:
    from numpy.random import Generator

MOST_LAYOUTS: Final = 400
"""Most layouts used under a time limit alone."""
_DRAWN: Final = 20
"""Layouts drawn for each one kept by weight."""

F64 = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Averages:
    """Declarer's tricks after each legal card on the layouts that were solved."""

    cards: tuple[Card, ...]
    tricks: F64
    """(layouts, cards)"""
    weights: F64
    """(layouts,): they sum to 1, unless there are no layouts."""

    def __len__(self) -> int:
        return len(self.tricks)

    def means(self) -> F64:
        means: F64 = self.weights @ self.tricks
        return means

    def choose(self, preference: F32, sign: int, tie: float) -> int:
        """The card, by its index, that the network prefers among those close to the best.

        Close is within `tie` standard errors. `sign` is 1 if declarer's tricks are the player's
        gain, and -1 for a defender.
        """
        means = sign * self.means()
        behind = sign * (self.tricks[:, [int(means.argmax())]] - self.tricks)
        mean = self.weights @ behind
        error = np.sqrt(np.square(self.weights) @ np.square(behind - mean))
        wishes = np.where(mean <= tie * error + 1e-9, preference[list(self.cards)], -np.inf)
        return int(wishes.argmax())


def search(view: View, belief: F32, layouts: int, clock: Clock, rng: Generator) -> Averages:
    """The legal cards solved on layouts drawn by belief, as many as there is time for."""
    hands, weights = draw(view, belief, layouts or MOST_LAYOUTS, rng)
    position = position_of(view)
    remaining = [(a, b, c, d) for a, b, c, d in hands.tolist()]
    solved = Valuation(position, view.deck).solve_here(remaining, clock)
    tricks = [[layout.values[card] for card in position.legal] for layout in solved]
    weights = weights[: len(solved)]
    return Averages(
        position.legal,
        np.array(tricks, np.float64).reshape(len(solved), len(position.legal)),
        weights / weights.sum() if len(solved) else weights,
    )


def draw(view: View, belief: F32, count: int, rng: Generator) -> tuple[I64, F64]:
    """Up to `count` layouts (cards left by chair) in random order, with their weights.

    If there are no more layouts than that, these are all of them, weighted by belief; otherwise
    they are drawn by belief and weigh the same.
    """
    layouts = beliefs.layouts_of(view)
    whole = layouts.count <= count
    masks = layouts.every(count) if whole else layouts.sample(count * _DRAWN, rng)
    hands = beliefs.chairs(view, masks).astype(np.int64)
    weights = likelihood(view, belief, hands)
    # Exponential keys: a draw without replacement, by weight.
    keys = rng.exponential(size=len(hands)) / (1.0 if whole else weights)
    kept = np.argsort(keys, kind="stable")[:count]
    return hands[kept], weights[kept] if whole else np.ones(len(kept))


def likelihood(view: View, belief: F32, hands: I64) -> F64:
    """How likely the network's beliefs make each layout, relative to the most likely one."""
    assert view.chair is not None
    odds = belief.astype(np.float64)
    near, far = hidden_hands(view.chair)
    cards = np.arange(SUITS * RANKS)
    log = (hands[:, near, None] >> cards & 1) @ -np.logaddexp(0, -odds)
    log += (hands[:, far, None] >> cards & 1) @ -np.logaddexp(0, odds)
    weights: F64 = np.exp(np.maximum(log - log.max(), -500))
    return weights


def hidden_hands(chair: Chair) -> tuple[Chair, Chair]:
    """The hand that the belief of a chair's player is about, and the other hidden hand.

    It is the next chair, or for the left defender, who sees that one (dummy), declarer.
    """
    if chair is Chair.LEFT:
        return Chair.DECLARER, Chair.RIGHT
    near = Chair((chair + 1) % CHAIRS)
    return near, Chair.LEFT if chair is Chair.RIGHT else Chair((near + 2) % CHAIRS)
