"""What results show: who beats whom, with what certainty, and the distance to the ceiling.

Two declarers are compared against the same defences on the same deals, two defences against the
same declarers, strategies of a match by their points on the same deals: so every test is on
paired differences, one per deal, and all tests of one question are corrected together by Holm.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, permutations
from math import isfinite
from typing import Final

import numpy as np

from tribridge.arena.results import MatchResult, PlayResult
from tribridge.arena.work import names_of
from tribridge.cards.masks import F64
from tribridge.common import charts, stats
from tribridge.common.codec import Number
from tribridge.common.errors import SettingError, quantity, unchanging
from tribridge.common.stats import FEWEST_DEALS, Interval, mean_interval
from tribridge.game.scoring import net_range
from tribridge.strategies import Strategy

DECLARER: Final = "declarer"
DEFENCE: Final = "defence"
ORACLE: Final = "oracle"
"""The name of the player that sees all hands, which is the ceiling."""

_AS: Final = {"player": "", "declarer": "As declarer, ", "defence": "As defender, "}


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """Two strategies of a side and how much better the first is, deal by deal."""

    side: str
    first: str
    second: str
    differences: F64
    bound: float
    """The largest difference possible on one deal."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """One strategy against another on paired deals."""

    side: str
    first: str
    second: str
    difference: Interval
    """How much better the first is per deal, with a 95% interval."""
    p: Number
    """NaN if there are too few deals for a test."""
    p_holm: Number
    effect: Number
    """Cohen's d of the paired differences."""
    deals: int


@dataclass(frozen=True, slots=True)
class Distance:
    """How far a strategy falls behind one that sees all hands, per deal."""

    side: str
    name: str
    against_ceiling: Interval | None
    """Against an opponent that sees all hands: tricks available double dummy but not taken."""
    against_fair: Interval | None
    """Against the fair opponents: what the oracle gains beyond it, on the same deals."""


def cell_errors(payoffs: F64) -> F64:
    """The standard error of each cell of a matrix, from an array (deals, rows, columns)."""
    return np.asarray(payoffs.std(axis=0, ddof=1) / np.sqrt(len(payoffs)))


def _sides(
    result: PlayResult,
) -> Iterator[tuple[str, tuple[Strategy, ...], tuple[Strategy, ...], F64]]:
    """Each side: its strategies, the other side's, and tricks to it by deal, own and other.

    More is better on both sides: for a defence it is the negative of the declarer's payoff.
    """
    payoffs, work = result.payoffs("tricks"), result.work
    yield DECLARER, work.declarers, work.defences, payoffs
    yield DEFENCE, work.defences, work.declarers, -payoffs.transpose(0, 2, 1)


def side_scores(result: PlayResult, side: str) -> dict[str, F64]:
    """The tricks of each fair strategy of a side on each deal, against the fair opponents.

    If a side has no fair strategy, all its strategies count.
    """
    _, strategies, others, values = next(row for row in _sides(result) if row[0] == side)
    own, against = (result.fair(many) or list(range(len(many))) for many in (strategies, others))
    means = values[:, :, against].mean(axis=2)
    return {strategies[at].name: means[:, at] for at in own}


def play_pairs(result: PlayResult) -> list[Pair]:
    """All pairs of fair declarers and all pairs of fair defences, deal by deal."""
    bound = float(result.work.deck.hand_size)
    return [
        Pair(side, first, second, scores[first] - scores[second], bound)
        for side in (DECLARER, DEFENCE)
        for scores in [side_scores(result, side)]
        for first, second in combinations(scores, 2)
    ]


def match_pairs(result: MatchResult) -> list[Pair]:
    """All pairs of strategies that met in a match: points difference at the same table, by deal.

    In each game the seats of a strategy are averaged.
    """
    work = result.work
    names, points = work.names, result.points
    bound = np.inf  # a rubber may go on for ever
    if work.laws is None:  # between declarer and defender; both defenders score the same
        net = net_range(work.scheme, work.deck, doubles=work.doubles)
        bound = float(max(map(abs, net)))
    pairs = []
    for first, second in combinations(names, 2):
        margins = []
        for at, seats in enumerate(work.seatings):
            own, other = ([s for s in range(3) if seats[s] == name] for name in (first, second))
            if own and other:
                margins.append(
                    points[:, at][:, own].mean(axis=1) - points[:, at][:, other].mean(axis=1)
                )
        pairs.append(Pair("player", first, second, np.mean(margins, axis=0), bound))
    return pairs


def pairs_of(result: PlayResult | MatchResult) -> list[Pair]:
    """All pairs of a result, in tricks; those of a match in points."""
    return play_pairs(result) if isinstance(result, PlayResult) else match_pairs(result)


def compare(pairs: Sequence[Pair]) -> list[Comparison]:
    """A paired test for each pair, the better one first, corrected together."""
    turned = [
        replace(pair, first=pair.second, second=pair.first, differences=-pair.differences)
        if pair.differences.mean() < 0
        else pair
        for pair in pairs
    ]
    tests = [stats.paired(pair.differences, pair.bound) for pair in turned]
    corrected = stats.holm([test.p for test in tests])
    return [
        Comparison(
            side=pair.side,
            first=pair.first,
            second=pair.second,
            difference=mean_interval(pair.differences, pair.bound),
            p=test.p,
            p_holm=p,
            effect=test.size,
            deals=len(pair.differences),
        )
        for pair, test, p in zip(turned, tests, corrected, strict=True)
    ]


def distances(result: PlayResult) -> list[Distance]:
    """How far each fair strategy is from the oracle, as far as the oracle played."""
    shortfalls = []
    for side, strategies, others, values in _sides(result):
        best, rival = (
            names.index(ORACLE) if ORACLE in names else None
            for names in (names_of(strategies), names_of(others))
        )
        fair_rivals = result.fair(others)
        for at in result.fair(strategies):
            ceiling = fair = None
            if best is not None:
                behind = values[:, best] - values[:, at]
                ceiling = None if rival is None else mean_interval(behind[:, rival])
                if fair_rivals:
                    fair = mean_interval(behind[:, fair_rivals].mean(axis=1))
            shortfalls.append(Distance(side, strategies[at].name, ceiling, fair))
    return shortfalls


@dataclass(frozen=True, slots=True)
class Contracts:
    """What a strategy bid and made in a match."""

    name: str
    games: int
    """Seats held, over all deals."""
    points: Interval
    declared: int
    made: int
    level: float | None
    """Mean level of its contracts."""
    over: float | None
    """Mean tricks above (or below) the contract."""
    no_trump: int
    outbid: int
    """Games in which it bid and another declared."""
    doubled: int = 0
    """Contracts that it declared doubled or redoubled."""


def contract_statistics(result: MatchResult) -> list[Contracts]:
    """Bidding and its success, for each strategy."""
    deck = result.work.deck
    points = result.by_deal()
    statistics = []
    for at, name in enumerate(result.work.names):
        held = outbid = 0
        played: list[tuple[int, int, bool, bool]] = []  # level, margin, in notrump, doubled
        for seats, deal in result.played:
            own = [seat for seat in range(3) if seats[seat] == name]
            held += len(own)
            outbid += sum(seat in deal.bidders and seat != deal.declarer for seat in own)
            if deal.declarer in own and deal.contract is not None and deal.tricks is not None:
                level = int(deal.contract[0])
                over = deal.tricks - deck.book - level
                played.append((level, over, deal.contract.endswith("NT"), deal.factor > 1))
        levels, margins, no_trump, doubled = zip(*played, strict=True) if played else [()] * 4
        statistics.append(
            Contracts(
                name=name,
                games=held,
                points=mean_interval(points[:, at]),
                declared=len(levels),
                made=sum(margin >= 0 for margin in margins),
                level=float(np.mean(levels)) if levels else None,
                over=float(np.mean(margins)) if margins else None,
                no_trump=sum(no_trump),
                outbid=outbid,
                doubled=sum(doubled),
            )
        )
    return statistics


@dataclass(frozen=True, slots=True)
class Rating:
    """How a strategy compares with all others of a match; ratings add up to 0."""

    name: str
    points: Interval
    """Per game: the differences at the same table explained by those of ratings (least squares)."""
    won: Interval
    """How often it scores more than another at the same table, equal points as half."""


def ratings(result: MatchResult) -> list[Rating]:
    """Ratings of the strategies of a match, the best first."""
    names = result.work.names
    if len(names) < 2:
        raise SettingError("ratings need at least two strategies")
    pairs = match_pairs(result)
    design = np.zeros((len(pairs), len(names)))
    for row, pair in enumerate(pairs):
        design[row, names.index(pair.first)], design[row, names.index(pair.second)] = 1.0, -1.0
    per_deal = np.column_stack([pair.differences for pair in pairs]) @ np.linalg.pinv(design).T
    wins = _wins(result)
    won, lost = wins.sum(axis=2), wins.sum(axis=1)
    rated = [
        Rating(
            name,
            mean_interval(per_deal[:, at]),
            mean_interval(won[:, at] / (won[:, at] + lost[:, at])),
        )
        for at, name in enumerate(names)
    ]
    return sorted(rated, key=lambda row: -row.points.estimate)


def _wins(result: MatchResult) -> F64:
    """For each deal how often each strategy scored more than each other at the same table."""
    names, points = result.work.names, result.points
    index = {name: at for at, name in enumerate(names)}
    wins = np.zeros((len(points), len(names), len(names)))
    for at, seats in enumerate(result.work.seatings):
        for here, there in permutations(range(3), 2):
            first, second = index[seats[here]], index[seats[there]]
            if first != second:
                margin = points[:, at, here] - points[:, at, there]
                wins[:, first, second] += (margin > 0) + 0.5 * (margin == 0)
    return wins


@unchanging
@dataclass(frozen=True, slots=True, eq=False)
class Contest:
    """What two strategies did on the same deals: the games, and who is better by how much."""

    result: MatchResult | PlayResult = field(repr=False)
    comparisons: tuple[Comparison, ...]
    """One for whole games; one for each side, declarer and defence, for the play alone."""

    @property
    def deals(self) -> int:
        return self.result.deals

    def summary(self) -> str:
        """The answer in one sentence for each comparison."""
        unit = "tricks" if isinstance(self.result, PlayResult) else "points"
        each = self.result.work.unit
        return "\n".join(_sentence(comparison, unit, each) for comparison in self.comparisons)

    def __repr__(self) -> str:
        names = dict.fromkeys(
            f"{comparison.first} against {comparison.second}" for comparison in self.comparisons
        )
        return f"<Contest: {'; '.join(names)}, {quantity(self.deals, self.result.work.unit)}>"

    def __str__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        """The answer in words, and the interval of each difference."""
        unit = "tricks" if isinstance(self.result, PlayResult) else "points"
        parts: list[object] = []
        for comparison in self.comparisons:
            parts.append(_sentence(comparison, unit, self.result.work.unit))
            margin = comparison.difference
            if isfinite(margin.low) and isfinite(margin.high):
                parts.append(charts.interval(margin.low, margin.estimate, margin.high, unit))
        return charts.block(*parts)


def _sentence(comparison: Comparison, unit: str, each: str) -> str:
    margin = comparison.difference
    start = f"{_AS[comparison.side]}{comparison.first}"
    if comparison.effect == 0:
        return f"{start} and {comparison.second} did equally well over {comparison.deals} {each}s."
    verb = {"player": "scores", "declarer": "takes", "defence": "concedes"}[comparison.side]
    more = "fewer" if comparison.side == "defence" else "more"
    digits = 1 if unit == "points" else 2
    if comparison.deals < FEWEST_DEALS:
        basis = (
            f"{comparison.deals} {each}s: too few for an interval and a p-value, which need "
            f"{FEWEST_DEALS} {each}s"
        )
    else:
        p = "p < 0.001" if comparison.p < 0.001 else f"p = {comparison.p:.3f}"
        basis = (
            f"95% interval {margin.low:.{digits}f} to {margin.high:.{digits}f}, {p}, "
            f"{comparison.deals} {each}s"
        )
    return (
        f"{start} {verb} {margin.estimate:.{digits}f} {more} {unit} per {each} than "
        f"{comparison.second} ({basis})."
    )
