"""Sampling: layouts from the beliefs, double dummy on each, the card that is best on average.

By default declarer's tricks are averaged; `goal=points` averages the net points of the contract
under the laws of auction bridge, which need more layouts to estimate well. Three known weaknesses
of the method are mitigated. Double dummy assumes that everyone sees all the cards, so nobody can be
misled and many cards tie: each layout is therefore also played out by the maxims, which do not see
the hidden cards, and a card's value is a weighted mean of the two (`playout` is the weight of the
maxims; 0 is double dummy alone, 1 is the maxims alone). Cards that still tie are decided by the
maxims. And layouts are weighted by the play so far: more are drawn than needed, and those in which
the others played as the maxims suggest are more likely to be kept.

With a time limit, the number of layouts depends on the machine and is reported; with `layouts=`
alone, the choice depends only on the view and the random generator.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from tribridge import beliefs
from tribridge.cards.cards import Card
from tribridge.common.errors import quantity
from tribridge.common.sentences import clause
from tribridge.game.position import Position
from tribridge.game.scoring import find_scheme
from tribridge.game.tricks import Chair, Hands
from tribridge.game.views import View
from tribridge.strategies.parameters import option
from tribridge.strategies.players.maxims.player import maxim, pick
from tribridge.strategies.players.search.evaluation import (
    CALIBRATED,
    CALLS,
    FACTOR,
    GOAL,
    TIE,
    Clock,
    Solved,
    Values,
    value_layouts,
)
from tribridge.strategies.players.suits import equals
from tribridge.strategies.protocol import Choice, position_of


def departures(view: View, layouts: Sequence[Hands]) -> NDArray[np.int64]:
    """For each layout (remaining cards by chair), how many plays of the hidden hands depart."""
    moments = _moments(view)
    return np.array([_departures(moments, hands) for hands in layouts], dtype=np.int64)


def _moments(view: View) -> list[tuple[Position, Card]]:
    """Each play from a hidden hand; in its position, hands hold only cards played from then on."""
    position, own = position_of(view), view.own_chair
    hidden = (1, 3) if own == Chair.DECLARER else (0, 2, 4 - (own or 0))
    moments = []
    replay = Position(position.contract, position.with_hands((0, 0, 0, 0)).dealt())
    for card in (*(card for trick in view.tricks for card in trick.cards), *view.trick):
        if replay.chair in hidden:
            moments.append((replay, card))
        replay = replay.apply_unchecked(card)
    return moments


def _departures(moments: Sequence[tuple[Position, Card]], left: Hands) -> int:
    a, b, c, d = left
    count = 0
    for moment, card in moments:
        w, x, y, z = moment.hands
        position = moment.with_hands((a | w, b | x, c | y, d | z))
        legal = position.legal_mask()
        if legal & (legal - 1) and (usual := pick(position)[0]) != card:
            others = (a | w | b | x | c | y | d | z) & ~position.mine
            count += not equals(card.index, others) & usual.bit
    return count


def likelihoods(counts: NDArray[np.int64], factor: float) -> NDArray[np.float64]:
    """Weights of layouts: `factor` to the power of the departures, scaled so the best is 1."""
    weights: NDArray[np.float64] = np.power(factor, (counts - counts.min()).astype(np.float64))
    return weights


MOST_LAYOUTS: Final = 200
"""Most layouts used under a time limit alone: more would hardly change the choice."""

_DRAWN: Final = 4
"""Layouts drawn for each one kept by the plays so far."""
_DRAWING_SHARE: Final = 0.2
"""Share of the time limit that drawing and weighting may take."""
_BATCH: Final = 16
"""Layouts weighted between two checks of the clock."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """Layouts drawn for a decision: remaining cards by chair, and whether these are all layouts."""

    hands: list[Hands]
    weights: NDArray[np.float64]
    whole: bool

    @property
    def share(self) -> NDArray[np.float64]:
        """The weights as shares of all."""
        return np.asarray(self.weights / self.weights.sum())


def draw(
    view: View,
    count: int,
    factor: float,
    calls: bool,
    clock: Clock,
    rng: Generator,
    calibrated: bool = False,
) -> Drawn:
    """Up to `count` layouts that fit a view, weighted by what the others did."""
    belief = beliefs.Beliefs(
        view,
        beliefs.call_model(view) if calls else None,
        trust=beliefs.call_trust(view) if calibrated else 1.0,
    )
    layouts = belief.layouts
    whole = layouts.count <= count
    judged = factor < 1 and bool(view.tricks or view.trick)
    number = count * _DRAWN if judged else count
    masks = layouts.every(count) if whole else belief.sample(number, rng)
    hands: list[Hands] = [(a, b, c, d) for a, b, c, d in beliefs.chairs(view, masks).tolist()]
    weights = np.ones(len(hands))
    if judged:
        weights = _weigh(view, hands, factor, None if whole else clock)
        hands = hands[: len(weights)]
    if whole or not judged:
        return Drawn(hands, weights * belief.weights(masks) if whole else weights, whole)
    drawn = np.sort(by_weight(weights, count, rng))
    return Drawn([hands[at] for at in drawn], np.ones(len(drawn)), whole)


def by_weight(weights: NDArray[np.float64], count: int, rng: Generator) -> NDArray[np.int64]:
    """Places drawn by weight, without replacement, by exponential keys."""
    keys = rng.exponential(size=len(weights)) / weights
    return np.argsort(keys, kind="stable")[:count]


def _weigh(
    view: View, hands: list[Hands], factor: float, clock: Clock | None
) -> NDArray[np.float64]:
    """The weights of layouts given the play so far; with a clock, of as many as it allows."""
    if clock is None or clock.seconds is None:
        return likelihoods(departures(view, hands), factor)
    parts = []
    for at in range(0, len(hands), _BATCH):
        parts.append(departures(view, hands[at : at + _BATCH]))
        if clock.spent > clock.seconds * _DRAWING_SHARE:
            break
    return likelihoods(np.concatenate(parts), factor)


def goal_table(view: View, goal: str) -> NDArray[np.float64]:
    """What each number of tricks is worth to declarer."""
    if goal == "tricks":
        return np.arange(view.deck.hand_size + 1, dtype=np.float64)
    return np.array(find_scheme("auction").nets(position_of(view).contract, view.deck))


@dataclass(frozen=True, slots=True)
class SamplingPlayer:
    """Double dummy on sampled layouts."""

    name: ClassVar[str] = "sampling"
    version: ClassVar[int] = 2
    summary: ClassVar[str] = (
        "solves sampled layouts double dummy and plays the best card on average"
    )

    layouts: int = option(0, "layouts per card; 0: as many as time allows", min=0, max=10_000)
    seconds: float = option(
        0.0, "seconds per card; 0: one, or no limit if layouts are given", min=0
    )
    goal: str = option(**GOAL)
    factor: float = option(**FACTOR)
    calls: bool = option(**CALLS)
    playout: float = option(
        0.5, "weight of the maxims' playouts relative to double dummy", min=0, max=1
    )
    tie: float = option(**TIE)
    calibrated: bool = option(**CALIBRATED)

    def card(self, view: View, rng: Generator) -> Choice:
        legal = view.legal
        if len(legal) == 1:
            return Choice(legal[0], f"{legal[0]} is the only legal card.")
        clock = Clock.of(self.layouts, self.seconds)
        number = self.layouts or MOST_LAYOUTS
        drawn = draw(view, number, self.factor, self.calls, clock, rng, self.calibrated)
        solved = value_layouts(
            position_of(view),
            view.deck,
            drawn.hands,
            clock,
            double_dummy=self.playout < 1,
            played_out=self.playout > 0,
        )
        weights = drawn.weights[: len(solved)]
        return decide(view, solved, weights, self.goal, self.tie, self.playout, clock)


def no_time(position: Position, unit: str, clock: Clock) -> Choice:
    """What the maxims play, where there was no time for a single layout or iteration."""
    card, why = maxim(position)
    return Choice(card, f"No time to search: {clause(why)}", {unit: 0.0, "seconds": clock.spent})


def decide(
    view: View,
    solved: Sequence[Solved],
    weights: NDArray[np.float64],
    goal: str,
    tie: float,
    playout: float,
    clock: Clock,
) -> Choice:
    """The card with the best weighted average; the maxims' card if it is close enough to it."""
    position = position_of(view)
    sense, why = maxim(position)
    if not solved:
        return no_time(position, "layouts", clock)
    cards = sorted(solved[0].values, key=lambda card: card.index)
    tricks = trick_table([layout.values for layout in solved], cards)
    table = goal_table(view, goal)
    values = table[tricks]
    if 0 < playout < 1 and solved[0].played_out is not None:
        played = trick_table([layout.played_out or layout.values for layout in solved], cards)
        values = (1 - playout) * values + playout * table[played]
    if not position.declaring:
        values = -values
    share = weights / weights.sum()
    mean_tricks = share @ tricks
    mean = share @ values
    # Among cards that are equal double dummy, side suits come before trumps, low before high.
    order = [(card.row != position.trump, card.column) for card in cards]
    best = max(range(len(cards)), key=lambda at: (round(mean[at], 9), order[at]))
    behind = values[:, best] - values[:, cards.index(sense)]
    error = np.sqrt(share @ (behind - share @ behind) ** 2 / len(solved))
    card = sense if share @ behind <= tie * error + 1e-9 else cards[best]
    at = cards.index(card)
    made = float(share @ (tricks[:, at] >= position.needed))
    details = {
        "layouts": float(len(solved)),
        "seconds": clock.spent,
        "tricks": float(mean_tricks[at]),
        "made": made,
    }
    return Choice(card, _reason(card, cards, mean_tricks, made, len(solved), why, sense), details)


def trick_table(values: Sequence[Values], cards: Sequence[Card]) -> NDArray[np.int64]:
    """Tricks by layout and card."""
    return np.array([[tricks[card] for card in cards] for tricks in values], dtype=np.int64)


def _reason(
    card: Card,
    cards: Sequence[Card],
    means: NDArray[np.float64],
    made: float,
    count: int,
    why: str,
    sense: Card,
) -> str:
    own = means[cards.index(card)]
    text = (
        f"{card} averages {own:.1f} declarer tricks over {quantity(count, 'layout')}, "
        f"and the contract makes in {100 * made:.0f}% of them"
    )
    return f"{text}; {clause(why)}" if card == sense else f"{text}."
