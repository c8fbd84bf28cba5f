"""Tiny games solved from several starts, and strategies measured in them.

A bidder is given by its preference for every call in every turn with every hand, a player by its
preference for every card in every spot of the play. Preferences become a strategy by a softmax, or
by taking the highest.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

import numpy as np

from tribridge.cards.cards import Deck, Strain
from tribridge.game.auction import Bid
from tribridge.game.scoring import Scheme, find_scheme
from tribridge.lab.tiny.auctions import AuctionGame
from tribridge.lab.tiny.card_play import CardPlay, WholeGame, card_play, frequencies, table_after
from tribridge.lab.tiny.layouts import Layouts, net_points
from tribridge.lab.tiny.team import team_response
from tribridge.lab.tiny.treeplex import (
    CFRPlus,
    Floats,
    Judgement,
    SequenceGame,
    Treeplex,
    judge,
    random_profile,
)
from tribridge.strategies import Strategy, decision_rng, find_strategy, guarded_act

CONCEDED: Final = 5.0
"""What the greedy bidder assumes that passing over any bid costs, as in training."""
SEAT_NAMES: Final = ("dealer", "second", "third")
SMALLEST: Final = Deck(2, 4)
MAXIMS: Final = "maxims"

Profile = Sequence[Floats]
Say = Callable[[str], None]

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


@dataclass(frozen=True, slots=True)
class Start:
    """What CFR+ reached from one start."""

    name: str
    judged: Judgement
    seconds: float


@dataclass(frozen=True, slots=True)
class Measured:
    """A strategy in all seats, and in one seat against two of the first start's averages."""

    name: str
    judged: Judgement
    loss: tuple[float, ...]
    """What each player loses by playing it against the solution instead of the solution itself."""
    team: float | None = None
    """In card play: declarer's tricks if the defenders respond to declarer as one team."""


@dataclass(frozen=True, slots=True)
class SolvedGame:
    """A game, what CFR+ made of it, and other strategies in it."""

    deck: Deck
    title: str
    players: tuple[str, ...]
    unit: str
    deals: int
    ends: int
    """Ends of the game, with forced cards left out."""
    sets: tuple[int, ...]
    """Information sets of each player."""
    iterations: int
    starts: tuple[Start, ...]
    strategies: tuple[Measured, ...]


def solve_game(
    game: SequenceGame, iterations: int, starts: int, say: Say
) -> tuple[list[Start], list[list[Floats]]]:
    """CFR+ from uniform strategies, then from random ones: results and average strategies."""
    results, averages = [], []
    for number in range(starts):
        begun = time.monotonic()
        solver = CFRPlus(game, random_profile(game, number) if number else None)
        solver.run(iterations)
        averages.append(solver.average)
        seconds = time.monotonic() - begun
        name = f"random {number}" if number else "uniform"
        results.append(Start(name, judge(game, averages[-1]), seconds))
        say(f"start {name}: NashConv {results[-1].judged.nash_conv:.4f} after {seconds:.1f} s")
    return results, averages


def measure(
    name: str, game: SequenceGame, profile: Profile, solution: Profile, own: Judgement
) -> Measured:
    """A profile judged by itself and against a solution, whose own judgement is given."""
    loss = []
    for player in range(len(game.trees)):
        mixed = [*solution]
        mixed[player] = profile[player]
        loss.append(own.values[player] - value_of(game, player, mixed))
    return Measured(name, judge(game, profile), tuple(loss))


def value_of(game: SequenceGame, player: int, profile: Profile) -> float:
    """A player's expected payoff."""
    plans = [tree.plan(strategy) for tree, strategy in zip(game.trees, profile, strict=True)]
    return float(game.gradient(player, plans) @ plans[player])


@dataclass(frozen=True, slots=True)
class SolverWork:
    """How much to compute."""

    iterations: int = 200
    starts: int = 3
    say: Say = lambda line: None


def solve_auction(deck: Deck, scheme: Scheme, levels: int, work: SolverWork) -> SolvedGame:
    """The auction alone, paid by double dummy."""
    layouts = Layouts(deck)
    game = AuctionGame(layouts, scheme, levels)
    profiles = {
        "random": call_strategies(game, random_calls, best=False),
        "greedy": call_strategies(game, greedy_calls, best=True),
    }
    title = f"auction, levels 1 to {game.levels}" if game.levels > 1 else "auction, level 1"
    ends = len(layouts) * len(game.tree.ends)
    return _solved(layouts, game, title, ends, profiles, work)[0]


def solve_whole(deck: Deck, scheme: Scheme, work: SolverWork) -> SolvedGame:
    """The auction and the play."""
    layouts = Layouts(deck)
    whole = WholeGame(AuctionGame(layouts, scheme))
    maxims = player_cards(find_strategy(MAXIMS))
    profiles = {
        "random": whole_strategies(whole, random_calls, random_cards, best=False),
        f"greedy + {MAXIMS}": whole_strategies(whole, greedy_calls, maxims, best=True),
    }
    game = whole.game
    return _solved(layouts, game, "auction and play", len(game.last[0]), profiles, work)[0]


def solve_play(deck: Deck, strain: Strain, work: SolverWork) -> SolvedGame:
    """The play of one contract in every deal: declarer against two defenders."""
    layouts = Layouts(deck)
    play = card_play(layouts, strain)
    profiles: dict[str, Profile] = {
        "random": play_strategies(play, random_cards, best=False),
        MAXIMS: play_strategies(play, player_cards(find_strategy(MAXIMS)), best=True),
    }
    title = f"play in {strain.letter}"
    solved, average = _solved(layouts, play.game, title, len(play.tricks), profiles, work)
    first = Measured("CFR+", solved.starts[0].judged, (0.0, 0.0, 0.0))
    declarers = [average[0], *(profile[0] for profile in profiles.values())]
    measured = tuple(
        replace(each, team=team_response(play, strategy))
        for each, strategy in zip((first, *solved.strategies), declarers, strict=True)
    )
    roles = ("declarer", "left defender", "right defender")
    return replace(solved, players=roles, unit="tricks", strategies=measured)


def _solved(
    layouts: Layouts,
    game: SequenceGame,
    title: str,
    ends: int,
    profiles: Mapping[str, Profile],
    work: SolverWork,
) -> tuple[SolvedGame, Profile]:
    """A game solved and other strategies measured in it, and the first start's averages."""
    starts, averages = solve_game(game, work.iterations, work.starts, work.say)
    measured = (
        measure(name, game, profile, averages[0], starts[0].judged)
        for name, profile in profiles.items()
    )
    solved = SolvedGame(
        layouts.deck,
        title,
        SEAT_NAMES,
        "points",
        len(layouts),
        ends,
        tuple(len(tree.counts) for tree in game.trees),
        work.iterations,
        tuple(starts),
        tuple(measured),
    )
    return solved, averages[0]


def exploited(agent: Strategy, deck: Deck = SMALLEST, draws: int = 10) -> float:
    """NashConv of a strategy in all seats of the whole game, under the scheme `auction`.

    Choices are drawn some times in every information set. Cards are chosen as after an auction in
    which declarer bid at once and the others passed.
    """
    whole = WholeGame(AuctionGame(Layouts(deck), find_scheme("auction")))
    bidder, player = strategy_calls(agent, draws), player_cards(agent, draws)
    profile = whole_strategies(whole, bidder, player, best=False)
    return judge(whole.game, profile).nash_conv
