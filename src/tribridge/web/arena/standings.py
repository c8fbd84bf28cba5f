"""What the games of a match show so far, computed by the workers with the arena's statistics."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tribridge.arena.playing import Game
from tribridge.arena.work import MatchWork, Outcome

if TYPE_CHECKING:
    from tribridge.stats import Interval


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its 95% interval; an end that is not known yet is None."""

    mean: float
    low: float | None
    high: float | None

    def as_json(self) -> dict[str, float | None]:
        return {"mean": self.mean, "low": self.low, "high": self.high}


@dataclass(frozen=True, slots=True)
class Score:
    """Points per game of a strategy."""

    strategy: str
    points: Estimate


@dataclass(frozen=True, slots=True)
class Difference:
    """How many more points the first of two strategies scores at the same table."""

    first: str
    second: str
    points: Estimate
    p: float | None = None
    """Corrected by Holm over all pairs; None until the match is over, or for too few deals."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The result after some deals."""

    deals: int
    scores: tuple[Score, ...]
    differences: tuple[Difference, ...]
    lines: tuple[str, ...] = ()
    """The answer in words, once the match is over."""

    def as_json(self) -> dict[str, Any]:
        return {
            "deals": self.deals,
            "scores": [{"strategy": s.strategy, **s.points.as_json()} for s in self.scores],
            "differences": [
                {"first": d.first, "second": d.second, **d.points.as_json(), "p": d.p}
                for d in self.differences
            ],
            "lines": list(self.lines),
        }


def standing_of(fields: Mapping[str, Any]) -> Standing:
    """The standing that was written as JSON."""

    def estimate(one: Mapping[str, Any]) -> Estimate:
        return Estimate(one["mean"], one["low"], one["high"])

    return Standing(
        fields["deals"],
        tuple(Score(one["strategy"], estimate(one)) for one in fields["scores"]),
        tuple(
            Difference(one["first"], one["second"], estimate(one), one["p"])
            for one in fields["differences"]
        ),
        tuple(fields["lines"]),
    )


def play_slice(
    work: MatchWork, names: Sequence[str], number: int, at: int, game: Game, seconds: float
) -> Game:
    """Play a game on for some seconds, or for one choice if that takes longer."""
    return work.play_on(game, names, number, at, seconds)


def standing(work: MatchWork, games: Sequence[Outcome]) -> Standing:
    """Points and paired differences with their intervals, from the games of the first deals."""
    from tribridge.arena.analysis import match_pairs
    from tribridge.arena.results import match_result
    from tribridge.stats import mean_interval

    result = match_result(work, games)
    by_deal = result.by_deal()
    return Standing(
        result.deals,
        tuple(
            Score(name, _estimate(mean_interval(by_deal[:, at])))
            for at, name in enumerate(work.strategies)
        ),
        tuple(
            Difference(
                pair.first, pair.second, _estimate(mean_interval(pair.differences, pair.bound))
            )
            for pair in match_pairs(result)
        ),
    )


def conclusion(work: MatchWork, games: Sequence[Outcome]) -> Standing:
    """The standing at the end, with tests and the lines that the command prints."""
    from tribridge.arena.analysis import compare_match
    from tribridge.arena.results import match_result
    from tribridge.studies.arena_tables import match_report, summary

    last = standing(work, games)
    if last.deals < 2:
        return last
    result = match_result(work, games)
    tests = {
        frozenset((one.first, one.second)): None if math.isnan(one.p_holm) else one.p_holm
        for one in compare_match(result)
    }
    lines = summary(match_report(result))
    differences = tuple(
        Difference(one.first, one.second, one.points, tests[frozenset((one.first, one.second))])
        for one in last.differences
    )
    return Standing(last.deals, last.scores, differences, tuple(lines))


def _estimate(interval: Interval) -> Estimate:
    ends = interval.low, interval.high
    low, high = (float(end) if math.isfinite(end) else None for end in ends)
    return Estimate(float(interval.estimate), low, high)
