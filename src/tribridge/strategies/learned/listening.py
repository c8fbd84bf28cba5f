"""Layouts of the unseen cards that explain the calls of an auction.

A hand explains the calls of its player as well as the bidding network is likely to make them with
it. Of random layouts hardly any explains a contested auction: of 800, one to twenty count. So the
hands of the other two players are drawn one after the other: first of one, until enough hands
explain its calls; then, beside those that do, of the other one from the cards that are left.

Hands are (n, 4) masks from the dealer on, the hidden hand last.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from tribridge.beliefs import Beliefs
from tribridge.cards.deals import Seat
from tribridge.cards.masks import F64, I64
from tribridge.game.auction import Auction
from tribridge.game.views import View
from tribridge.networks.auction import SEATS, AuctionGames
from tribridge.networks.stakes import Game
from tribridge.strategies.learned.wishes import CALLS, number_of, place_of, seat_at, wishes

_FLOOR: Final = 0.1
"""The share of calls that ignore the cards: other people bid differently.

The network's own calls would want none. Under `auction` those of `points`, `card` and `forecast`
surprise it least with a tenth to a fifth, under `contract` with more (`benchmarks.surprise`)."""
_DRAWN: Final = 4
"""Hands drawn at a time for each layout that is wanted."""
_TIMES: Final = 12
"""Most times that hands of a player are drawn, while too few explain the calls."""
_CARDS: Final = 52


def explaining(view: View, game: Game, count: int, rng: Generator) -> tuple[I64, float]:
    """Layouts drawn by how well they explain the calls, and how many they are worth.

    That is how many would tell as much if each had been drawn without the others; those that share
    the hand that was drawn first count as one.
    """
    assert view.seat is not None
    size, calls = _DRAWN * count, _heard(view)
    own = place_of(view.seat, view.auction.dealer)
    first, second = (own + 1) % SEATS, (own + 2) % SEATS

    def drawn() -> I64:
        return possible_layouts(view, size, rng)

    def completed() -> I64:
        rows = _evenly(logs, size, rng)
        return _dealt_again(hands[rows], second, rng)

    def explained(hands: I64, player: int) -> F64:
        each = [_explained(call, hands, view.auction.dealer, game) for call in calls[player]]
        return np.sum(each, axis=0) if each else np.zeros(len(hands))

    hands, logs = _enough(drawn, lambda hands: explained(hands, first), count)
    hands, logs = _enough(completed, lambda hands: explained(hands, second), count)
    worth = min(_worth(logs), _worth(logs, hands[:, first]), float(count))
    return hands[_evenly(logs, count, rng)], worth


def possible_layouts(view: View, count: int, rng: Generator) -> I64:
    """Layouts of the unseen cards, whatever was called."""
    assert view.seat is not None
    bare = View(seat=view.seat, auction=Auction(view.seat), dealt=view.dealt)
    hands: I64 = Beliefs(bare).layouts.sample(count, rng).astype(np.int64)
    return hands[:, [*(seat_at(view.auction.dealer, at) for at in range(SEATS)), SEATS]]


class _Heard(NamedTuple):
    """A call of another player."""

    games: AuctionGames
    """The auction before it."""
    call: int


def _heard(view: View) -> list[list[_Heard]]:
    """The calls of each player."""
    games = AuctionGames(1, doubles=int(view.auction.doubles))
    heard: list[list[_Heard]] = [[] for _ in range(SEATS)]
    for call in view.auction.calls:
        heard[games.caller].append(_Heard(games.take(np.array([0])), number_of(call)))
        games.step(np.array([number_of(call)]))
    return heard


def _explained(call: _Heard, hands: I64, dealer: Seat, game: Game) -> F64:
    """How well layouts explain a call: logarithms."""
    games = call.games.take(np.zeros(len(hands), np.int64))
    chance = chances_of(games, hands, dealer, game)[:, call.call]
    even = 1 / int(call.games.legal()[0]).bit_count()
    logs: F64 = np.log(_FLOOR * even + (1 - _FLOOR) * chance)
    return logs


def chances_of(games: AuctionGames, hands: I64, dealer: Seat, game: Game) -> F64:
    """The chance of each call that the bidding network gives those whose turn it is: (n, 38)."""
    wish = wishes(games, hands, dealer, game).astype(np.float64)
    wish[games.legal()[:, None] >> np.arange(CALLS) & 1 == 0] = -np.inf
    wish -= wish.max(1, keepdims=True)
    chances: F64 = np.exp(wish)
    chances /= chances.sum(1, keepdims=True)
    return chances


def _enough(
    drawn: Callable[[], I64], explained: Callable[[I64], F64], count: int
) -> tuple[I64, F64]:
    """Layouts, drawn until enough of them explain the calls; and how well they do."""
    hands, logs = np.zeros((0, SEATS + 1), np.int64), np.zeros(0)
    for _ in range(_TIMES):
        more = drawn()
        hands, logs = np.concatenate([hands, more]), np.concatenate([logs, explained(more)])
        if _worth(logs) >= count:
            break
    return hands, logs


def _worth(logs: F64, groups: I64 | None = None) -> float:
    """How many layouts are worth as much as weighted ones; those of a group count as one."""
    weights = np.exp(logs - logs.max())
    if groups is not None:
        weights = np.bincount(np.unique(groups, return_inverse=True)[1], weights)
    return float(weights.sum() ** 2 / (weights**2).sum())


def _dealt_again(hands: I64, player: int, rng: Generator) -> I64:
    """Layouts with the cards of a player and of the hidden hand dealt again."""
    hands = hands.copy()
    both = hands[:, player] | hands[:, SEATS]
    held = both[:, None] >> np.arange(_CARDS) & 1
    order = np.where(held == 1, rng.random(held.shape), 2.0).argsort(1)
    half = held[0].sum() // 2
    hands[:, player] = (1 << order[:, :half]).sum(1)
    hands[:, SEATS] = both ^ hands[:, player]
    return hands


def _evenly(logs: F64, count: int, rng: Generator) -> NDArray[np.intp]:
    """Rows, each as often as its weight says."""
    sums = np.cumsum(np.exp(logs - logs.max()))
    even = (np.arange(count) + rng.random()) / count * sums[-1]
    rows: NDArray[np.intp] = np.minimum(np.searchsorted(sums, even), len(logs) - 1)
    return rows
