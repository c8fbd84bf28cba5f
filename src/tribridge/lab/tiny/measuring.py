"""Tiny games solved from several starts, and strategies measured in them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from tribridge.cards.cards import Deck, Strain
from tribridge.game.scoring import Scheme, find_scheme
from tribridge.lab.tiny.auctions import AuctionGame
from tribridge.lab.tiny.card_play import WholeGame, card_play
from tribridge.lab.tiny.layouts import Layouts
from tribridge.lab.tiny.policies import (
    call_strategies,
    greedy_calls,
    play_strategies,
    player_cards,
    random_calls,
    random_cards,
    strategy_calls,
    whole_strategies,
)
from tribridge.lab.tiny.team import team_response
from tribridge.lab.tiny.treeplex import (
    CFRPlus,
    Floats,
    Judgement,
    SequenceGame,
    judge,
    random_profile,
)
from tribridge.strategies import Strategy, find_strategy

SEAT_NAMES: Final = ("dealer", "second", "third")
SMALLEST: Final = Deck(2, 4)
MAXIMS: Final = "maxims"

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


def beside_greedy(game: AuctionGame, profile: Profile) -> tuple[float, float]:
    """A bidder in an auction: its points against two greedy ones, and what can be gained from it.

    Exact, both in settlement points a deal and as means over the places: of the bidder in one seat,
    and of the best response to two of the bidder.
    """
    greedy = call_strategies(game, greedy_calls, best=True)
    points = [
        value_of(game, seat, [*greedy[:seat], profile[seat], *greedy[seat + 1 :]])
        for seat in range(len(game.trees))
    ]
    gains = judge(game, profile).gains
    return sum(points) / len(points), sum(gains) / len(gains)


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
