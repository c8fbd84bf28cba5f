"""Tiny games solved from several starts, and strategies measured in them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from tribridge.arena.tiny.auctions import AuctionGame
from tribridge.arena.tiny.card_play import WholeGame, card_play
from tribridge.arena.tiny.layouts import Layouts
from tribridge.arena.tiny.policies import (
    Calls,
    Cards,
    call_strategies,
    greedy_calls,
    learned_calls,
    learned_cards,
    load_bidder,
    load_player,
    play_strategies,
    player_cards,
    random_calls,
    random_cards,
    strategy_calls,
    whole_strategies,
)
from tribridge.arena.tiny.team import team_response
from tribridge.arena.tiny.treeplex import (
    CFRPlus,
    Floats,
    Judgement,
    SequenceGame,
    judge,
    random_profile,
)
from tribridge.cards import Deck, Strain
from tribridge.game.scoring import Scheme, find_scheme
from tribridge.strategies import Strategy, find_strategy

SEAT_NAMES: Final = ("dealer", "second", "third")
SMALLEST: Final = Deck(2, 4)
MAXIMS: Final = "maxims"
"""The player by rule that is measured beside the learner."""

Profile = Sequence[Floats]
Say = Callable[[str], None]


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
        say(f"start {name}: NashConv {results[-1].judged.nash_conv:.4f} after {seconds:.0f} s")
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
    """How much to compute, and the learner's weights, if any."""

    iterations: int = 200
    starts: int = 3
    bidding: Path | None = None
    playing: Path | None = None
    say: Say = lambda line: None


def solve_auction(deck: Deck, scheme: Scheme, levels: int, work: SolverWork) -> SolvedGame:
    """The auction alone, paid by double dummy."""
    layouts = Layouts(deck)
    game = AuctionGame(layouts, scheme, levels)
    bidders: dict[str, tuple[Calls, bool]] = {
        "random": (random_calls, False),
        "greedy": (greedy_calls, True),
    }
    if work.bidding is not None:
        learned = learned_calls(load_bidder(work.bidding))
        bidders |= {"learned": (learned, False), "learned, best call": (learned, True)}
    profiles = {
        name: call_strategies(game, bidder, best=best) for name, (bidder, best) in bidders.items()
    }
    title = f"auction, levels 1 to {game.levels}" if game.levels > 1 else "auction, level 1"
    ends = len(layouts) * len(game.tree.ends)
    return _solved(layouts, game, title, ends, profiles, work)[0]


def solve_whole(deck: Deck, scheme: Scheme, work: SolverWork) -> SolvedGame:
    """The auction and the play."""
    layouts = Layouts(deck)
    whole = WholeGame(AuctionGame(layouts, scheme))
    named: dict[str, tuple[Calls, Cards, tuple[bool, bool]]] = {
        "random": (random_calls, random_cards, (False, False)),
        "greedy + maxims": (greedy_calls, player_cards(find_strategy(MAXIMS)), (True, True)),
    }
    if work.bidding is not None and work.playing is not None:
        calls = learned_calls(load_bidder(work.bidding))
        cards = learned_cards(load_player(work.playing))
        named["learned"] = calls, cards, (False, False)
        named["learned, best call and card"] = calls, cards, (True, True)
    profiles = {
        name: whole_strategies(whole, bidder, player, best=best)
        for name, (bidder, player, best) in named.items()
    }
    game = whole.game
    return _solved(layouts, game, "auction and play", len(game.last[0]), profiles, work)[0]


def solve_play(deck: Deck, strain: Strain, work: SolverWork) -> SolvedGame:
    """The play of one contract in every deal: declarer against two defenders."""
    layouts = Layouts(deck)
    play = card_play(layouts, strain)
    players: dict[str, tuple[Cards, bool]] = {
        "random": (random_cards, False),
        MAXIMS: (player_cards(find_strategy(MAXIMS)), True),
    }
    if work.playing is not None:
        learned = learned_cards(load_player(work.playing))
        players |= {"learned": (learned, False), "learned, best card": (learned, True)}
    profiles: dict[str, Profile] = {
        name: play_strategies(play, player, best=best) for name, (player, best) in players.items()
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
    profile = whole_strategies(whole, bidder, player, best=(False, False))
    return judge(whole.game, profile).nash_conv
