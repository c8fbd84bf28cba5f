"""Alpha-mu: declarer play that does not assume the hidden cards will be seen later.

Plain sampling lets declarer play each layout as if it were known after the next card, so it keeps
postponing decisions and treats guesses as certainties. Alpha-mu (Cazenave and Ventos, *The
alpha-mu search algorithm for the game of bridge*, 2019) makes declarer choose one card for all
layouts together for declarer's next `depth` cards; only then does double dummy take over. Positions
are valued by Pareto fronts: sets of vectors with one value per layout, none dominating another.

- Declarer's choice: the vectors of all of declarer's cards, except those that another dominates.
- A defender's choice: the defender is assumed to know the layout and plays the worst card for
  declarer in each, so each combination of one vector per card gives a vector of minima.

With depth 1 this is plain sampling, and its value for a card is an upper bound on the value at
greater depth: cards are tried from the best bound down, until no bound exceeds the best value so
far. Fronts are cut to their best few vectors by average. Defenders play like `sampling`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from tribridge.cards.cards import Card
from tribridge.common.errors import quantity
from tribridge.common.sentences import clause
from tribridge.double_dummy.solving import DoubleDummy
from tribridge.game.position import Position
from tribridge.game.views import View
from tribridge.strategies.parameters import option
from tribridge.strategies.players.maxims.player import maxim
from tribridge.strategies.players.search.evaluation import (
    CALLS,
    FACTOR,
    GOAL,
    TIE,
    Clock,
    Solved,
    Values,
    first_guess,
    solver_of,
)
from tribridge.strategies.players.search.sampling import (
    SamplingPlayer,
    decide,
    draw,
    goal_table,
    no_time,
)
from tribridge.strategies.players.suits import apart
from tribridge.strategies.protocol import Choice, position_of

Vector = NDArray[np.float64]
"""One value per layout; infinite for a layout that is not reached, which never limits a minimum."""
Worlds = Mapping[int, Position]
"""Positions that declarer cannot tell apart, by layout number."""

_WIDEST: Final = 12
"""Most vectors kept in a front."""


class OutOfTimeError(Exception):
    """The clock ran out in the middle of a search."""


@dataclass(frozen=True, slots=True)
class AlphaMuPlayer:
    """Alpha-mu as declarer, sampling as defender."""

    name: ClassVar[str] = "alphamu"
    version: ClassVar[int] = 2
    summary: ClassVar[str] = "declares by alpha-mu search over a few layouts, defends by sampling"

    worlds: int = option(16, "number of layouts searched together", min=1, max=256)
    depth: int = option(2, "declarer's cards chosen for all layouts together", min=1, max=4)
    seconds: float = option(0.0, "seconds per card; 0: no limit", min=0)
    goal: str = option(**GOAL)
    factor: float = option(**FACTOR)
    calls: bool = option(**CALLS)
    tie: float = option(**TIE)

    def card(self, view: View, rng: Generator) -> Choice:
        legal = view.legal
        if len(legal) == 1:
            return Choice(legal[0], f"{legal[0]} is the only legal card.")
        position = position_of(view)
        if not position.declaring:
            return SamplingPlayer(
                layouts=self.worlds,
                seconds=self.seconds,
                goal=self.goal,
                factor=self.factor,
                calls=self.calls,
                tie=self.tie,
            ).card(view, rng)
        clock = Clock.of(self.worlds, self.seconds)
        drawn = draw(view, self.worlds, self.factor, self.calls, clock, rng)
        worlds = {at: position.with_hands(hands) for at, hands in enumerate(drawn.hands)}
        table = goal_table(view, self.goal)
        search = Search(solver_of(view.deck), table, drawn.share, clock)
        try:
            plain = search.solve(worlds)
        except OutOfTimeError:
            return no_time(position, "layouts", clock)
        solved = [Solved(values) for values in plain]
        base = decide(view, solved, drawn.weights, self.goal, self.tie, 0.0, clock)
        if self.depth == 1 or len(worlds) == 1:
            return base
        return self._deeper(view, search, worlds, plain, base)

    def _deeper(
        self, view: View, search: Search, worlds: Worlds, plain: Sequence[Values], base: Choice
    ) -> Choice:
        bounds = {
            card: search.mean(search.table[[values[card] for values in plain]]) for card in plain[0]
        }
        deep: dict[Card, float] = {}
        order = sorted(apart(worlds[0], list(bounds)), key=lambda card: -bounds[card])
        try:
            for card in order:
                if deep and bounds[card] <= max(deep.values()) + 1e-9:
                    break
                after = {at: play.apply_unchecked(card) for at, play in worlds.items()}
                front = search.front(after, self.depth - 1)
                deep[card] = max(search.mean(vector) for vector in front)
        except OutOfTimeError:
            pass
        if not deep:
            return base
        sense, why = maxim(position_of(view))
        best = max(deep.values())
        winners = [card for card, value in deep.items() if value >= best - 1e-9]
        if sense in winners:
            card = sense
        elif isinstance(base.action, Card) and base.action in winners:
            card = base.action
        else:
            card = max(winners, key=lambda winner: (bounds[winner], winner.column))
        unit = "points" if self.goal == "points" else "tricks"
        details = {**base.details, "seconds": search.clock.spent, "value": deep[card]}
        tail = f"; {clause(why)}" if card == sense else "."
        return Choice(
            card,
            f"{card} is worth {deep[card]:.1f} {unit} over {quantity(len(worlds), 'layout')} when "
            f"the next {self.depth} cards are chosen without seeing the hidden hands{tail}",
            details,
        )


@dataclass(slots=True)
class Search:
    """One decision's search."""

    solver: DoubleDummy
    table: Vector
    share: Vector
    clock: Clock

    def mean(self, vector: Vector) -> float:
        """The average over all layouts; those not reached count as 0."""
        return float(self.share @ np.where(np.isinf(vector), 0.0, vector))

    def solve(self, worlds: Worlds) -> list[Values]:
        """Double-dummy values of the next card in each layout."""
        solved = []
        for play in worlds.values():
            if not self.clock.room(first_guess(play.hands)):
                raise OutOfTimeError
            began = self.clock.spent
            solved.append(self.solver.cards(play))
            self.clock.took(self.clock.spent - began)
        return solved

    def front(self, worlds: Worlds, depth: int) -> list[Vector]:
        """The front of a position, with declarer's next `depth` cards still to be chosen."""
        first = next(iter(worlds.values()))
        if first.over:
            return [self._vector(worlds, [play.won for play in worlds.values()])]
        if not first.declaring:
            return self._defenders(worlds, depth)
        cards = apart(first, list(first.legal))
        if depth <= 1:
            solved = self.solve(worlds)
            vectors = [self._vector(worlds, [values[card] for values in solved]) for card in cards]
        else:
            vectors = []
            for card in cards:
                after = {at: play.apply_unchecked(card) for at, play in worlds.items()}
                vectors += self.front(after, depth - 1)
        return self.undominated(vectors)

    def _defenders(self, worlds: Worlds, depth: int) -> list[Vector]:
        replies: dict[Card, dict[int, Position]] = {}
        for at, play in worlds.items():
            for card in apart(play, list(play.legal)):
                replies.setdefault(card, {})[at] = play.apply_unchecked(card)
        joined: list[Vector] | None = None
        for after in replies.values():
            front = self.front(after, depth)
            if joined is None:
                joined = front
            else:
                joined = self.undominated([np.minimum(a, b) for a in joined for b in front])
        assert joined is not None
        return joined

    def _vector(self, worlds: Worlds, tricks: Sequence[int]) -> Vector:
        vector = np.full(len(self.share), np.inf)
        vector[list(worlds)] = self.table[list(tricks)]
        return vector

    def undominated(self, vectors: list[Vector]) -> list[Vector]:
        """The vectors that no other dominates, cut to the best few by average."""
        best: list[Vector] = []
        for vector in sorted(vectors, key=lambda vector: -self.mean(vector)):
            if not any(bool(np.all(other >= vector)) for other in best):
                best.append(vector)
                if len(best) == _WIDEST:
                    break
        return best
