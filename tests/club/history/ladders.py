"""The ladders of the bots, from arena matches: `make results` writes those of the package."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from math import sqrt
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from tribridge.arena.playing import DealOutcome
from tribridge.arena.results import MatchResult, load, shipped_matches
from tribridge.cards.deals import Seat
from tribridge.club import history
from tribridge.club.history.ladder import ANCHOR, Ladder, Rung, Scoring, rubber_worth, scored_as
from tribridge.common import codec
from tribridge.common.files import write_atomic
from tribridge.common.stats import ndtri
from tribridge.game.auction import Bid, Contract, Outcome, parse_call
from tribridge.game.rubber import Result, Rubber
from tribridge.game.rubber_worth import Settled

F64 = NDArray[np.float64]

FEWEST_GAMES: Final = 10
"""Deals or rubbers with which a strategy gets on the ladder: with fewer, its error is a guess."""
LEVELS: Final = Path(__file__).parents[3] / "benchmarks" / "results" / "levels"
FILE: Final = Path(history.__file__).parent / "data" / "ladders.json"


def of_package() -> tuple[Ladder, ...]:
    """The ladders from the matches that ship with the package, and from those of the levels."""
    matches = [*shipped_matches("ladder"), *shipped_matches(), *level_matches()]
    return tuple(ladder_of(matches, scoring) for scoring in Scoring)


def level_matches() -> list[MatchResult]:
    """The matches of the levels of the bots, each with the anchor alone."""
    loaded = [load(path) for path in sorted(LEVELS.glob("*.json.gz"))]
    return [result for result in loaded if isinstance(result, MatchResult)]


def save() -> None:
    """Write the ladders of the package."""
    write_atomic(FILE, codec.dumps(of_package(), indent=1) + "\n")


def ladder_of(
    matches: Iterable[MatchResult], scoring: Scoring, fewest: int = FEWEST_GAMES
) -> Ladder:
    """The ladder of matches; those without the anchor, or scored otherwise, are left out.

    A strategy in several matches is rated by the one with the most deals (or rubbers), and only if
    there are `fewest` of them.
    """
    rungs = {ANCHOR: Rung(ANCHOR, 0.0, 0.0, 0)}
    squares: list[float] = []
    for result in matches:
        work = result.work
        played = scored_as(work.laws, work.scheme, work.doubles, work.deck)
        if ANCHOR not in work.names or played is not scoring:
            continue
        worth = np.array(list(_worths(result)))
        squares += (worth**2).ravel().tolist()
        for strategy in work.names:
            name = rung_name(strategy)
            if name == ANCHOR:
                continue
            rung = _rung(name, *_leads(result, worth, strategy))
            if rung.deals >= max(fewest, rungs[name].deals if name in rungs else 0):
                rungs[name] = rung
    ordered = sorted(rungs.values(), key=lambda rung: rung.rating)
    return Ladder(tuple(ordered), sqrt(float(np.mean(squares))), scoring)


def rung_name(strategy: str) -> str:
    """The name of a strategy without the settings that only limit its search.

    >>> rung_name("forecast+sampling:layouts=12"), rung_name("points+human:temperature=2")
    ('forecast+sampling', 'points+human:temperature=2')
    """
    return re.sub(r":(layouts|seconds)=[^,+]*$", "", strategy)


def _worths(result: MatchResult) -> Iterator[Settled]:
    """What each deal of a match was worth to the three, in order."""
    if result.work.laws is None:
        points = result.points.reshape(-1, 3)
        for one in 3 * points - points.sum(axis=1, keepdims=True):
            yield float(one[0]), float(one[1]), float(one[2])
        return
    laws = result.work.laws
    for game in result.games:
        rubber = Rubber(laws, Seat(game.number % 3))
        for outcome in map(_outcome, game.games):
            yield rubber_worth(rubber.state, outcome)
            rubber = rubber.add_result(Result(outcome))


def _outcome(deal: DealOutcome) -> Outcome:
    bid = None if deal.contract is None else parse_call(deal.contract)
    if not isinstance(bid, Bid) or deal.declarer is None or deal.tricks is None:
        return Outcome(None)
    return Outcome(Contract(bid, Seat(deal.declarer), deal.factor), deal.tricks)


def leads(result: MatchResult, strategy: str) -> tuple[list[int], list[float]]:
    """The lead of a strategy over the anchor in each deal of a match, with the deal's number."""
    return _leads(result, np.array(list(_worths(result))), strategy)


def _leads(result: MatchResult, worth: F64, strategy: str) -> tuple[list[int], list[float]]:
    """The lead of a strategy over the anchor in each deal they both play, with its number.

    A settlement is three times the points less those of all, so a lead is a third of the
    difference.
    """
    numbers = [game.number for game in result.games for _ in game.games]
    clusters, leads = [], []
    for at, (seats, _) in enumerate(result.played):
        own, anchor = ([s for s in range(3) if seats[s] == one] for one in (strategy, ANCHOR))
        if own and anchor:
            clusters.append(numbers[at])
            leads.append(float(worth[at, own].mean() - worth[at, anchor].mean()) / 3)
    return clusters, leads


def _rung(name: str, clusters: list[int], leads: list[float]) -> Rung:
    """A rating from leads; deals (or rubbers) of one number are the same cards, so one unit.

    The error is as much larger as makes a normal interval as wide as Student's.
    """
    units, at = np.unique(clusters, return_inverse=True)
    sums = np.bincount(at, weights=2 * np.array(leads))
    sizes = np.bincount(at)
    rating = sums.sum() / sizes.sum()
    rest = sums - rating * sizes
    few = stdtrit(len(units) - 1, 0.975) / ndtri(0.975)
    error = few * rest.std(ddof=1) / sizes.mean() / sqrt(len(units))
    return Rung(name, float(rating), float(error), len(units))
