"""Information-set tree search: one tree for all layouts, grown by playing them out.

Single-observer information-set Monte Carlo tree search (Cowling, Powley and Whitehouse, 2012). Each
iteration draws a layout from the beliefs, walks down the tree along the cards that are legal in it
(by upper confidence bounds that count how often a card was available), adds one node and plays the
rest out by the maxims or at random. The tree's nodes are sequences of cards, so a decision below
the root is made for all layouts together. The most visited card is played.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log, sqrt
from typing import ClassVar, Final

from numpy.random import Generator

from tribridge.cards.cards import ALL_CARDS
from tribridge.common.errors import quantity
from tribridge.common.sentences import clause
from tribridge.game.position import Position
from tribridge.game.views import View
from tribridge.strategies.parameters import option
from tribridge.strategies.players.maxims.player import maxim
from tribridge.strategies.players.search.evaluation import (
    CALLS,
    FACTOR,
    GOAL,
    Clock,
    finish,
)
from tribridge.strategies.players.search.sampling import draw, goal_table, no_time
from tribridge.strategies.protocol import Choice, position_of

ROLLOUTS: Final = ("maxims", "random")
_LAYOUTS: Final = 256
"""Layouts drawn per decision; iterations reuse them if there are more iterations than layouts."""


@dataclass(slots=True)
class Node:
    """A sequence of cards starting at the root."""

    visits: int = 0
    available: int = 0
    total: float = 0.0
    children: dict[int, Node] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class IsmctsPlayer:
    """Information-set Monte Carlo tree search."""

    name: ClassVar[str] = "ismcts"
    version: ClassVar[int] = 2
    summary: ClassVar[str] = "grows one search tree over sampled layouts, played out by the maxims"

    iterations: int = option(
        0, "iterations per card; 0: as many as time allows", min=0, max=100_000
    )
    seconds: float = option(
        0.0, "seconds per card; 0: one, or no limit if iterations are given", min=0
    )
    rollout: str = option("maxims", "how positions are played out", choices=ROLLOUTS)
    explore: float = option(0.5, "weight of exploration", min=0)
    goal: str = option(**GOAL)
    factor: float = option(**FACTOR)
    calls: bool = option(**CALLS)

    def card(self, view: View, rng: Generator) -> Choice:
        legal = view.legal
        if len(legal) == 1:
            return Choice(legal[0], f"{legal[0]} is the only legal card.")
        clock = Clock.of(self.iterations, self.seconds)
        number = min(self.iterations or _LAYOUTS, _LAYOUTS)
        drawn = draw(view, number, self.factor, self.calls, clock, rng)
        values = goal_table(view, self.goal)
        span = float(values.max() - values.min()) or 1.0
        scale = tuple(float(value) for value in (values - values.min()) / span)
        start = position_of(view)
        order = rng.choice(len(drawn.hands), size=4 * _LAYOUTS, p=drawn.share).tolist()
        root = Node()
        done = 0
        while (not self.iterations or done < self.iterations) and clock.room(0.005):
            began = clock.spent
            hands = drawn.hands[order[done % len(order)]]
            self._iterate(root, start.with_hands(hands), scale, rng)
            done += 1
            clock.took(clock.spent - began)
        return self._choice(view, root, done, clock)

    def _choice(self, view: View, root: Node, done: int, clock: Clock) -> Choice:
        position = position_of(view)
        if not root.children:
            return no_time(position, "iterations", clock)
        sense, why = maxim(position)
        details = {"iterations": float(done), "seconds": clock.spent}
        most = max(root.children, key=lambda at: (root.children[at].visits, at == sense.index, at))
        card = ALL_CARDS[most]
        node = root.children[most]
        tail = f"; {clause(why)}" if card == sense else "."
        return Choice(
            card,
            f"{card} was chosen in {node.visits} of {quantity(done, 'playout')}, the most{tail}",
            details,
        )

    def _iterate(
        self, root: Node, game: Position, scale: tuple[float, ...], rng: Generator
    ) -> None:
        node = root
        path: list[tuple[Node, bool]] = []
        while not game.over:
            cards = game.legal
            declaring = game.declaring
            fresh = [card for card in cards if card.index not in node.children]
            for card in cards:
                child = node.children.get(card.index)
                if child is not None:
                    child.available += 1
            if fresh:
                card = fresh[int(rng.integers(len(fresh)))] if len(fresh) > 1 else fresh[0]
                child = node.children[card.index] = Node(available=1)
                game = game.apply_unchecked(card)
                path.append((child, declaring))
                break
            card = max(cards, key=lambda card: self._bound(node.children[card.index]))
            node = node.children[card.index]
            path.append((node, declaring))
            game = game.apply_unchecked(card)
        value = scale[self._play_out(game, rng).won]
        for child, declaring in path:
            child.visits += 1
            child.total += value if declaring else 1.0 - value

    def _bound(self, child: Node) -> float:
        mean = child.total / child.visits
        return mean + self.explore * sqrt(log(child.available) / child.visits)

    def _play_out(self, game: Position, rng: Generator) -> Position:
        if self.rollout == "maxims":
            return finish(game)
        draws = rng.random(64).tolist()
        while not game.over:
            cards = game.legal
            game = game.apply_unchecked(cards[int(draws.pop() * len(cards))])
        return game
