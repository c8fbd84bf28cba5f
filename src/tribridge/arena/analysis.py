"""What results say: who beats whom, how sure that is, and how far the ceiling is.

Two declarers are compared against the same defences on the same deals, two defences against the
same declarers, strategies of a match by their points on the same deals: so every test is one of
paired differences, one a deal, and all tests of a question are corrected together by Holm.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tribridge import stats
from tribridge.arena.results import MatchResult, PlayResult
from tribridge.errors import SettingError
from tribridge.stats import Interval

DECLARER: Final = "declarer"
DEFENCE: Final = "defence"
ORACLE: Final = "oracle"
"""The player that sees all hands; under this name it is the ceiling."""

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Comparison:
    """One strategy against another on paired deals."""

    side: str
    first: str
    second: str
    difference: Interval
    """How much better the first is, a deal, with a 95 % interval."""
    p: float
    p_holm: float
    effect: float
    """Cohen's d of the paired differences."""
    deals: int


@dataclass(frozen=True, slots=True)
class Distance:
    """How far a strategy stays behind one that sees all hands, a deal."""

    side: str
    name: str
    against_ceiling: Interval | None
    """Against an opponent that sees all hands: what double dummy allows and is not taken."""
    against_fair: Interval | None
    """Against the fair opponents: what the oracle takes from the same ones, on the same deals."""


def mean_interval(values: Numbers) -> Interval:
    """A mean with its interval by Student."""
    from scipy import stats as sps

    mean = float(values.mean())
    if len(values) < 2:
        return Interval(mean, -np.inf, np.inf)
    half = float(sps.t.ppf(0.5 + stats.LEVEL / 2, len(values) - 1)) * standard_error(values)
    return Interval(mean, mean - half, mean + half)


def standard_error(values: Numbers) -> float:
    """The standard error of a mean."""
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else np.inf


def cell_errors(payoffs: Numbers) -> Numbers:
    """The standard error of each cell of a matrix, from an array (deals, rows, columns)."""
    return np.asarray(payoffs.std(axis=0, ddof=1) / np.sqrt(len(payoffs)))


def side_scores(result: PlayResult, side: str, unit: str = "tricks") -> dict[str, Numbers]:
    """What each fair strategy of a side achieves on each deal, against the fair ones of the other.

    More is better on both sides: for a defence it is the declarer's payoff turned round. Where a
    side has no fair strategy all of it counts.
    """
    payoffs, work = result.payoffs(unit), result.work
    rows, columns = (
        result.fair(names) or list(range(len(names))) for names in (work.declarers, work.defences)
    )
    if side == DECLARER:
        means = payoffs[:, :, columns].mean(axis=2)
        return {work.declarers[at]: means[:, at] for at in rows}
    means = -payoffs[:, rows, :].mean(axis=1)
    return {work.defences[at]: means[:, at] for at in columns}


def compare(scores: dict[str, dict[str, Numbers]]) -> list[Comparison]:
    """All pairs within each side, the better one first, corrected together."""
    found = []
    for side, by_name in scores.items():
        for first, second in combinations(by_name, 2):
            if by_name[first].mean() < by_name[second].mean():
                first, second = second, first
            differences = by_name[first] - by_name[second]
            test = stats.paired(differences)
            found.append((side, first, second, differences, test))
    corrected = stats.holm([test.p for *_, test in found])
    return [
        Comparison(
            side, first, second, mean_interval(differences), test.p, p, test.size, len(differences)
        )
        for (side, first, second, differences, test), p in zip(found, corrected, strict=True)
    ]


def compare_play(result: PlayResult, unit: str = "tricks") -> list[Comparison]:
    """All pairs of fair declarers and all pairs of fair defences."""
    return compare({side: side_scores(result, side, unit) for side in (DECLARER, DEFENCE)})


def compare_match(result: MatchResult) -> list[Comparison]:
    """All pairs of the strategies of a match, by points a game."""
    points = result.by_deal()
    return compare(
        {"player": {name: points[:, at] for at, name in enumerate(result.work.strategies)}}
    )


def distances(result: PlayResult, unit: str = "tricks") -> list[Distance]:
    """How far each fair strategy is from the oracle, as far as the oracle played."""
    payoffs, work = result.payoffs(unit), result.work
    rows, columns = result.fair(work.declarers), result.fair(work.defences)
    row = work.declarers.index(ORACLE) if ORACLE in work.declarers else None
    column = work.defences.index(ORACLE) if ORACLE in work.defences else None
    found = []
    for at in rows:
        ceiling = fair = None
        if column is not None and row is not None:
            ceiling = mean_interval(payoffs[:, row, column] - payoffs[:, at, column])
        if row is not None and columns:
            fair = mean_interval((payoffs[:, row, columns] - payoffs[:, at, columns]).mean(axis=1))
        found.append(Distance(DECLARER, work.declarers[at], ceiling, fair))
    for at in columns:
        ceiling = fair = None
        if column is not None and row is not None:
            ceiling = mean_interval(payoffs[:, row, at] - payoffs[:, row, column])
        if column is not None and rows:
            fair = mean_interval((payoffs[:, rows, at] - payoffs[:, rows, column]).mean(axis=1))
        found.append(Distance(DEFENCE, work.defences[at], ceiling, fair))
    return found


@dataclass(frozen=True, slots=True)
class Contracts:
    """What a strategy of a match bid and made."""

    name: str
    games: int
    """Seats held, over all games."""
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


def contract_statistics(result: MatchResult) -> list[Contracts]:
    """Bidding and its success, for each strategy."""
    deck = result.work.deck
    points = result.by_deal()
    found = []
    for at, name in enumerate(result.work.strategies):
        held = outbid = 0
        levels: list[int] = []
        margins: list[int] = []
        no_trump = 0
        for seats, contract, declarer, tricks, bidders in zip(
            result.seats, result.contracts, result.declarers, result.tricks, result.bidders,
            strict=True,
        ):  # fmt: skip
            own = [seat for seat in range(3) if seats[seat] == name]
            held += len(own)
            outbid += sum(seat in bidders and seat != declarer for seat in own)
            if declarer in own and contract is not None and tricks is not None:
                levels.append(int(contract[0]))
                margins.append(tricks - deck.book - int(contract[0]))
                no_trump += contract.endswith("NT")
        found.append(
            Contracts(
                name,
                held,
                mean_interval(points[:, at]),
                len(levels),
                sum(margin >= 0 for margin in margins),
                float(np.mean(levels)) if levels else None,
                float(np.mean(margins)) if margins else None,
                no_trump,
                outbid,
            )
        )
    return found


def decide_by(
    scores: dict[str, dict[str, Numbers]], alpha: float, smallest: float, step: int
) -> int | None:
    """After how many deals every pair is decided by the sequential test; None if some are open.

    The error rate is shared out evenly over the pairs (Bonferroni), so that the chance of any
    false difference, over all pairs and at all times, is `alpha` at most.
    """
    pairs = [
        by_name[first] - by_name[second]
        for by_name in scores.values()
        for first, second in combinations(by_name, 2)
    ]
    if not pairs:
        raise SettingError("a sequential test needs two strategies on a side")
    if len(pairs[0]) < 2:
        return None
    found = [
        stats.sequential(one, alpha=alpha / len(pairs), smallest=smallest, step=step)
        for one in pairs
    ]
    return None if any(one.verdict == "open" for one in found) else max(one.deals for one in found)


def sequential_verdicts(
    scores: dict[str, dict[str, Numbers]], alpha: float, smallest: float, step: int
) -> list[tuple[str, str, str, stats.Sequential]]:
    """Where the sequential test stopped for each pair, in the order given."""
    pairs = [
        (side, first, second, by_name[first] - by_name[second])
        for side, by_name in scores.items()
        for first, second in combinations(by_name, 2)
    ]
    share = alpha / max(1, len(pairs))
    return [
        (a, b, c, stats.sequential(values, alpha=share, smallest=smallest, step=step))
        for a, b, c, values in pairs
    ]


def ordered(names: Sequence[str], scores: dict[str, Numbers]) -> list[str]:
    """Names from the best to the worst."""
    return sorted(names, key=lambda name: -float(scores[name].mean()))
