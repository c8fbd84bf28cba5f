"""Search with the network: layouts weighted by its likelihood of the play, and its play-outs.

Layouts that fit the view are drawn uniformly. Each is weighted by how likely the network makes the
cards that the hidden hands have played in it, mixed with a little chance, since other players need
not play like the network; equivalent cards count as one. On those that are kept, each candidate
card is valued twice: the network plays on for all four chairs, each with its own view, and the
layout is solved double dummy. A card's value is a weighted mean of the two: play-outs know that
nobody sees the other hands, double dummy misses nothing. The card with the most tricks on average
is chosen, unless the player's own choice is within the error of it.

The network here is a small one that imitates the player's own (`learning.small_player`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from tribridge import beliefs
from tribridge.cards import Card
from tribridge.game.tricks import Chair
from tribridge.game.views import View
from tribridge.strategies.players.learned.games import I64, Games, play_out, preferences
from tribridge.strategies.players.learned.network import F32, SuitNetwork
from tribridge.strategies.players.learned.observation import CHAIRS, RANKS, Numbers
from tribridge.strategies.players.search.evaluation import Clock, apart, first_guess, solver_of
from tribridge.strategies.protocol import position_of

if TYPE_CHECKING:
    from numpy.random import Generator

MOST_LAYOUTS: Final = 400
"""Most layouts used under a time limit alone."""
_DRAWN: Final = 4
"""Layouts drawn for each one kept by weight."""
_WEIGHING_SHARE: Final = 0.25
"""Share of the time limit that weighing may take."""
_BATCH: Final = 8
"""Layouts between two looks at the clock."""
_LEAST_LAYOUTS: Final = 24
"""Layouts on which every candidate is valued."""
_CHANCE: Final = 0.1
"""Share of plays that are taken to be random."""
_CANDIDATES: Final = 6
_LEAST: Final = 0.01
"""How likely the network must make a card for it to be a candidate."""
_BEHIND: Final = 3.0
"""A candidate this many standard errors behind the best is dropped."""


@dataclass(frozen=True, slots=True)
class Playouts:
    """The candidates with declarer's tricks on each layout; NaN where one was dropped."""

    cards: list[Card]
    tricks: NDArray[np.float64]
    """(layouts, cards): the weighted mean of play-out and double dummy."""

    def means(self) -> NDArray[np.float64]:
        means: NDArray[np.float64] = np.nanmean(self.tricks, axis=0)
        return means

    def error(self, one: int, other: int) -> float:
        """The standard error of the difference between two candidates."""
        difference = self.tricks[:, one] - self.tricks[:, other]
        difference = difference[~np.isnan(difference)]
        return float(difference.std() / np.sqrt(max(len(difference), 1)))


def search(
    network: SuitNetwork,
    view: View,
    numbers: Numbers,
    preference: F32,
    layouts: int,
    playout: float,
    clock: Clock,
    rng: Generator,
) -> Playouts:
    """The candidates valued on layouts, as many as there is time for.

    `playout` is the weight of the network's play-outs, the rest is double dummy's.
    """
    cards = candidates(view, preference)
    wanted = layouts or MOST_LAYOUTS
    games = draw(network, view, numbers, wanted, clock, rng)
    sign = 1 if position_of(view).declaring else -1
    rows: list[NDArray[np.float64]] = []
    open_ = list(range(len(cards)))
    for at in range(0, len(games), _BATCH):
        if at and not clock.room():
            break
        batch = games.take(slice(at, at + _BATCH))
        tricks = np.full((len(batch), len(cards)), np.nan)
        values = _values(network, view, batch, [cards[one] for one in open_], playout, clock)
        if not len(values):
            break
        tricks[: len(values), open_] = values
        rows.append(tricks[: len(values)])
        if at + _BATCH < _LEAST_LAYOUTS:
            continue
        so_far = Playouts(cards, np.concatenate(rows))
        means = sign * so_far.means()
        best = max(open_, key=lambda one: means[one])
        open_ = [
            one
            for one in open_
            if means[best] - means[one] <= _BEHIND * so_far.error(best, one) + 1e-9
        ]
        if len(open_) == 1:
            break
    if not rows:  # No time to solve a single layout.
        tricks = _played_out(network, games.take(slice(_BATCH)), cards).astype(np.float64)
        return Playouts(cards, tricks)
    return Playouts(cards, np.concatenate(rows))


def candidates(view: View, preference: F32) -> list[Card]:
    """The cards worth a look, the network's first: one of each group of equivalent cards."""
    legal = [card for card in view.legal if isinstance(card, Card)]
    wishes = preference[legal].astype(np.float64)
    chances = np.exp(wishes - wishes.max())
    chance = dict(zip(legal, chances / chances.sum(), strict=True))
    kept: dict[int, Card] = {}
    lowest = sorted(apart(position_of(view), legal))
    for card in sorted(legal, key=lambda card: -chance[card]):
        kept.setdefault(next(low for low in lowest if low >= card and _same(low, card)), card)
    cards = list(kept.values())
    return [*cards[:2], *(card for card in cards[2:_CANDIDATES] if chance[card] >= _LEAST)]


def _same(card: Card, other: Card) -> bool:
    return card // RANKS == other // RANKS


def draw(
    network: SuitNetwork, view: View, numbers: Numbers, count: int, clock: Clock, rng: Generator
) -> Games:
    """Up to `count` layouts with the play so far, drawn by weight."""
    layouts = beliefs.Beliefs(view).layouts
    whole = layouts.count <= count * _DRAWN
    masks = layouts.every(count * _DRAWN) if whole else layouts.sample(count * _DRAWN, rng)
    masks = masks[rng.permutation(len(masks))]
    left = beliefs.chairs(view, masks).astype(np.int64)
    parts, logs = [], []
    for at in range(0, len(left), 4 * _BATCH):
        games, weight = replay(network, view, numbers, left[at : at + 4 * _BATCH])
        parts.append(games)
        logs.append(weight)
        if clock.seconds is not None and clock.spent > clock.seconds * _WEIGHING_SHARE:
            break
    log = np.concatenate(logs)
    weights = np.exp(log - log.max())
    if whole and len(log) == len(left):
        # All layouts are known: draw with replacement, exactly by weight.
        kept = rng.choice(len(log), min(count, 4 * len(log)), p=weights / weights.sum())
    else:
        keys = rng.exponential(size=len(log)) / np.maximum(weights, 1e-300)
        kept = np.argsort(keys, kind="stable")[: min(count, max(len(log) // _DRAWN, _BATCH))]
    return _joined(parts).take(rng.permutation(kept))


def _joined(parts: Sequence[Games]) -> Games:
    if len(parts) == 1:
        return parts[0]
    first = parts[0]
    arrays = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in first.__dataclass_fields__
        if name not in ("contract", "cards")
    }
    return Games(first.contract, **arrays, cards=first.cards)


def replay(
    network: SuitNetwork, view: View, numbers: Numbers, left: I64
) -> tuple[Games, NDArray[np.float64]]:
    """The games of layouts (remaining cards by chair) after the play so far, with log weights."""
    history = [*(card for trick in view.tricks for card in trick.cards), *view.trick]
    own = view.own_chair
    hidden = (1, 3) if own == Chair.DECLARER else (0, 2, 4 - (own or 0))
    dealt = left | np.array(position_of(view).with_hands((0, 0, 0, 0)).dealt(), np.int64)
    games = Games.start(numbers, dealt)
    log = np.zeros(len(games))
    for card in history:
        if int(games.chair[0]) in hidden:
            log += _log_chance(network, games, int(card))
        games = games.step(np.full(len(games), int(card)))
    return games, log


def _log_chance(network: SuitNetwork, games: Games, card: int) -> NDArray[np.float64]:
    """How likely the network would have played a card, or its equals, in each layout."""
    legal = games.legal()
    result = np.zeros(len(games))
    free = (legal & legal - 1 != 0).nonzero()[0]
    if not len(free):
        return result
    some, legal = games.take(free), legal[free]
    wishes = preferences(network, some, legal).astype(np.float64)
    chances = np.exp(wishes - wishes.max(1, keepdims=True))
    chances /= chances.sum(1, keepdims=True)
    same = _equals(some, card)[:, None] >> np.arange(CHAIRS * RANKS) & 1
    count = np.bitwise_count(legal.astype(np.uint64))
    result[free] = np.log((1 - _CHANCE) * (chances * same).sum(1) + _CHANCE * same.sum(1) / count)
    return result


def _equals(games: Games, card: int) -> I64:
    """The cards of the chair to play that are as good as `card`: none of the others between."""
    mine = games.mine
    others = games.hands.sum(1) - mine | games.trick.sum(1)
    suit, rank = divmod(card, RANKS)
    result = np.full(len(games), np.int64(1) << card)
    for step in (-1, 1):
        near = np.full(len(games), True)
        at = rank + step
        while 0 <= at < RANKS:
            bit = np.int64(1) << RANKS * suit + at
            near = near & (others & bit == 0)
            result = result | np.where(near, mine & bit, 0)
            at += step
    return result


def _values(
    network: SuitNetwork,
    view: View,
    games: Games,
    cards: Sequence[Card],
    playout: float,
    clock: Clock,
) -> NDArray[np.float64]:
    """Declarer's tricks after each card, on as many of the layouts as there is time for."""
    if playout == 1:
        began = clock.spent
        played = _played_out(network, games, cards)
        clock.took(clock.spent - began)
        return played.astype(np.float64)
    solved = _solved(view, games, cards, clock)
    if playout == 0 or not len(solved):
        return solved.astype(np.float64)
    played = _played_out(network, games.take(slice(len(solved))), cards)
    return playout * played + (1 - playout) * solved


def _played_out(network: SuitNetwork, games: Games, cards: Sequence[Card]) -> I64:
    """The same with the network playing on, on all layouts: (layouts, cards)."""
    count = len(games)
    many = games.take(np.repeat(np.arange(count), len(cards)))
    after = many.step(np.tile(np.array([int(card) for card in cards]), count))
    return play_out(network, after).reshape(count, len(cards))


def _solved(view: View, games: Games, cards: Sequence[Card], clock: Clock) -> I64:
    """The same double dummy, on as many layouts as there is time for."""
    solver, position = solver_of(view.deck), position_of(view)
    rows = []
    for a, b, c, d in games.hands.tolist():
        layout = position.with_hands((a, b, c, d))
        if not clock.room(first_guess(layout.hands)):
            break
        began = clock.spent
        values = solver.cards(layout)
        clock.took(clock.spent - began)
        rows.append([values[card] for card in cards])
    return np.array(rows, np.int64).reshape(len(rows), len(cards))
