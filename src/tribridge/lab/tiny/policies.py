"""Bidders and players as strategies of tiny games.

A bidder is given by its preference for every call in every turn with every hand, a player by its
preference for every card in every spot of the play. Preferences become a strategy by a softmax, or
by taking the highest.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Final

import numpy as np

from tribridge.game.auction import Bid
from tribridge.lab.tiny.auctions import AuctionGame
from tribridge.lab.tiny.card_play import CardPlay, WholeGame, frequencies, table_after
from tribridge.lab.tiny.layouts import net_points
from tribridge.lab.tiny.treeplex import Floats, Treeplex
from tribridge.strategies import Strategy, decision_rng, guarded_act

CONCEDED: Final = 5.0
"""What the greedy bidder assumes that passing over any bid costs, as in training."""

Calls = Callable[[AuctionGame, int], Floats]
"""A bidder: its preferences (hands, calls) in a turn."""


def random_calls(game: AuctionGame, turn: int) -> Floats:
    """No preference."""
    return np.zeros((len(game.layouts.hands), len(game.tree.turns[turn].calls)))


def greedy_calls(game: AuctionGame, turn: int) -> Floats:
    """The expected points of each bid from the caller's hand alone, as if it were the contract."""
    layouts, place = game.layouts, game.tree.turns[turn]
    deck = layouts.deck
    passing = 0.0 if place.auction.last_bid is None else -CONCEDED
    columns = [
        layouts.mean_chances[:, deck.strains.index(call.strain)]
        @ net_points(game.scheme, call, deck)
        if isinstance(call, Bid)
        else np.full(len(layouts.hands), passing)
        for call in place.calls
    ]
    return np.stack(columns, axis=1)


def call_strategies(game: AuctionGame, bidder: Calls, *, best: bool) -> list[Floats]:
    """A bidder in all three seats."""
    result = []
    for seat, tree in enumerate(game.trees):
        parts = [bidder(game, turn).reshape(-1) for turn in game.order[seat]]
        result.append(as_strategy(tree, np.concatenate([[0.0], *parts]), best=best))
    return result


def as_strategy(tree: Treeplex, preferences: Floats, *, best: bool) -> Floats:
    """A strategy from preferences for all sequences.

    It makes the choice with the highest (the first of equal ones), or each in proportion to the
    exponential of its preference.
    """
    highest = np.repeat(np.maximum.reduceat(preferences, tree.firsts), tree.counts)
    if not best:
        return tree.normalised(np.concatenate([[0.0], np.exp(preferences[1:] - highest)]))
    top = np.flatnonzero(preferences[1:] == highest)
    owners = np.repeat(np.arange(len(tree.counts)), tree.counts)[top]
    _, first = np.unique(owners, return_index=True)
    strategy = np.zeros(tree.sequences)
    strategy[0] = 1
    strategy[1 + top[first]] = 1
    return strategy


Cards = Callable[[CardPlay, int], Floats]
"""A player: preferences for the cards of all spots of a role, in order, whatever the auction."""


def random_cards(play: CardPlay, role: int) -> Floats:
    """No preference."""
    return np.zeros(play.game.trees[role].sequences - 1)


def player_cards(player: Strategy, draws: int = 1) -> Cards:
    """A strategy's cards, by how often it plays them."""
    return cache(lambda play, role: _logarithms(frequencies(play, role, player, 1, draws)))


def strategy_calls(strategy: Strategy, draws: int = 1) -> Calls:
    """A strategy's calls, by how often it makes them."""

    def preferences(game: AuctionGame, turn: int) -> Floats:
        layouts, place = game.layouts, game.tree.turns[turn]
        counts = np.zeros((len(layouts.hands), len(place.calls)))
        _, holders = np.unique(layouts.deals[:, place.seat], return_index=True)
        for hand, deal in enumerate(holders.tolist()):
            table = table_after(layouts, deal, place.auction.calls)
            for draw in range(draws):
                rng = decision_rng(1, draw, place.seat, len(place.auction.calls))
                counts[hand, place.calls.index(guarded_act(strategy, table, rng).action)] += 1
        return _logarithms(counts / draws)

    return preferences


def _logarithms(shares: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.log(shares)


def play_strategies(play: CardPlay, player: Cards, *, best: bool) -> list[Floats]:
    """A player in all three roles of the play of one contract."""
    return [
        as_strategy(tree, np.concatenate([[0.0], player(play, role)]), best=best)
        for role, tree in enumerate(play.game.trees)
    ]


def whole_strategies(whole: WholeGame, bidder: Calls, player: Cards, *, best: bool) -> list[Floats]:
    """A bidder and a player in all three seats of the whole game."""
    calling = call_strategies(whole.auction, bidder, best=best)
    result = []
    for seat, (tree, start) in enumerate(zip(whole.game.trees, calling, strict=True)):
        plays = [whole.play_of(seat, contract) for _, contract in whole.contracts]
        wishes = [np.concatenate([[0.0], player(play, role)]) for play, role in plays]
        slices = [play.game.trees[role].slices for play, role in plays]
        cards = [
            own[at[layer][1]]
            for layer in range(max(map(len, slices)))
            for own, at in zip(wishes, slices, strict=True)
            if layer < len(at)
        ]
        strategy = as_strategy(tree, np.concatenate([np.zeros(len(start)), *cards]), best=best)
        strategy[: len(start)] = start
        result.append(strategy)
    return result
