"""Strategies to measure: what they do in every information set of a tiny game.

A bidder is given by its preference for every call in every turn with every hand, a player by its
preference for every card in every spot of the play. Preferences become a strategy by a softmax, or
by taking the highest.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np

from tribridge.arena.tiny.auctions import AuctionGame
from tribridge.arena.tiny.card_play import (
    CardPlay,
    Spot,
    WholeGame,
    frequencies,
    spot_table,
    table_after,
)
from tribridge.arena.tiny.layouts import Layouts, net_points
from tribridge.arena.tiny.treeplex import Floats, Treeplex
from tribridge.deals import Seat
from tribridge.errors import FormatError
from tribridge.game.auction import Auction, Bid
from tribridge.game.views import view
from tribridge.networks import auction as calls
from tribridge.networks import play as cards
from tribridge.networks.network import F32, NetworkKind, SuitNetwork, load_network
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


def learned_calls(network: SuitNetwork) -> Calls:
    """A bidding network's preferences."""

    def preferences(game: AuctionGame, turn: int) -> Floats:
        hands, place = game.layouts.hands, game.tree.turns[turn]
        table = table_after(game.layouts, 0, place.auction.calls)
        numbers = np.tile(calls.observe(view(table, Seat(place.seat))), (len(hands), 1))
        numbers[:, 0] = hands
        wishes = calls.by_call(network(*calls.expand(numbers, np.float32)))[0]
        numbers_of = [calls.call_number(call) for call in place.calls]
        return np.asarray(wishes[:, numbers_of], np.float64)

    return preferences


def load_bidder(path: Path) -> SuitNetwork:
    """The network of a training's `bidding.npz`."""
    return _load(path, calls.KIND)


def load_player(path: Path) -> SuitNetwork:
    """The network of a training's `play.npz`."""
    return _load(path, cards.KIND)


def _load(path: Path, kind: NetworkKind) -> SuitNetwork:
    if not path.is_file():
        raise FormatError(f"{path}: no such file; expected the weights of a {kind.name} network")
    with path.open("rb") as file:
        return load_network(file, str(path), kind)


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


Cards = Callable[[CardPlay, int, Auction | None], Floats]
"""A player: preferences for the cards of all spots of a role, in order, after an auction.

Without one, declarer has bid the contract and the others have passed.
"""


def random_cards(play: CardPlay, role: int, auction: Auction | None) -> Floats:
    """No preference."""
    return np.zeros(play.game.trees[role].sequences - 1)


def player_cards(player: Strategy, draws: int = 1) -> Cards:
    """A strategy's cards, by how often it plays them, whatever the auction."""
    known: dict[tuple[CardPlay, int], Floats] = {}

    def preferences(play: CardPlay, role: int, auction: Auction | None) -> Floats:
        if (play, role) not in known:
            known[play, role] = _logarithms(frequencies(play, role, player, 1, draws))
        return known[play, role]

    return preferences


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


def learned_cards(network: SuitNetwork) -> Cards:
    """A playing network's preferences."""
    seen: dict[tuple[CardPlay, int], tuple[F32, F32]] = {}

    def preferences(play: CardPlay, role: int, auction: Auction | None) -> Floats:
        if (play, role) not in seen:
            views = [_observed(play, spot) for spot in play.spots[role]]
            masks, numbers = (np.array(part, np.int64) for part in zip(*views, strict=True))
            seen[play, role] = cards.expand(masks, numbers, np.float32)
        suits, table = seen[play, role]
        if auction is not None:
            table = table.copy()
            table[:, -cards.AUCTION_FEATURES :] = _auction_features(play.layouts, auction)
        wishes = cards.by_card(network(suits, table))[0]
        return np.concatenate(
            [
                row[[card.index for card in spot.options]]
                for row, spot in zip(wishes, play.spots[role], strict=True)
            ]
        ).astype(np.float64)

    return preferences


def _observed(play: CardPlay, spot: Spot) -> cards.Observation:
    table = spot_table(play, spot)
    assert table.turn is not None
    return cards.observe(view(table, table.turn))


def _auction_features(layouts: Layouts, auction: Auction) -> F32:
    table = table_after(layouts, 0, auction.calls)
    assert table.turn is not None
    numbers = np.array([cards.observe(view(table, table.turn)).numbers])
    result: F32 = cards.table_features(numbers, np.float32)[0, -cards.AUCTION_FEATURES :]
    return result


def play_strategies(play: CardPlay, player: Cards, *, best: bool) -> list[Floats]:
    """A player in all three roles of the play of one contract."""
    return [
        as_strategy(tree, np.concatenate([[0.0], player(play, role, None)]), best=best)
        for role, tree in enumerate(play.game.trees)
    ]


def whole_strategies(
    whole: WholeGame, bidder: Calls, player: Cards, *, best: tuple[bool, bool]
) -> list[Floats]:
    """A bidder and a player in all three seats of the whole game."""
    calling = call_strategies(whole.auction, bidder, best=best[0])
    result = []
    for seat, (tree, start) in enumerate(zip(whole.game.trees, calling, strict=True)):
        preferences = np.zeros(tree.sequences)
        for (end, contract), places in zip(whole.contracts, whole.places(seat), strict=True):
            role = whole.role(seat, contract)
            play = whole.plays[contract.bid.strain]
            wishes = np.concatenate([[0.0], player(play, role, end.auction)])
            local = play.game.trees[role]
            for inside, here in places:
                size = int(local.counts[inside].sum())
                begin, first = int(local.firsts[inside][0]), int(tree.firsts[here][0])
                preferences[first : first + size] = wishes[begin : begin + size]
        strategy = as_strategy(tree, preferences, best=best[1])
        strategy[: len(start)] = start
        result.append(strategy)
    return result
