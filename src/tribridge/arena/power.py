"""How many deals a comparison needs before it is played.

The tests of the arena are on paired differences, one per deal (`analysis`). How many deals they
need to find a difference depends on how much it varies from deal to deal: by a standard deviation,
or as it did in an earlier result.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from tribridge.arena.analysis import pairs_of
from tribridge.arena.results import MatchResult, PlayResult
from tribridge.arena.work import seatings
from tribridge.common import stats
from tribridge.common.errors import SettingError
from tribridge.common.tables import Column, StudyTable, table


@dataclass(frozen=True, slots=True)
class Needed:
    """The deals that it takes to find a difference between two strategies."""

    side: str
    first: str
    second: str
    sd: Annotated[float, "sd per deal", Column(digits=2)]
    """Standard deviation of the difference on a deal."""
    difference: Annotated[float, Column(digits=2)]
    deals: int
    games: int
    """On that many deals."""


def deals_needed(
    difference: float, sd: float, *, alpha: float = 0.05, power: float = 0.9, tests: int = 1
) -> int:
    """How many deals the tests of the arena need to find a difference per deal.

    `sd` is the standard deviation of the difference on a deal, `alpha` the error rate, shared by
    so many `tests`, and `power` the chance to find the difference if it is there.

    Examples:
        >>> deals_needed(5, 50)
        1212
    """
    return stats.values_needed(difference, sd, _shared(alpha, tests), power)


def needed_for(
    result: PlayResult | MatchResult,
    difference: float,
    *,
    alpha: float = 0.05,
    power: float = 0.9,
    tests: int | None = None,
) -> tuple[Needed, ...]:
    """The deals for each pair of a result, with differences that vary as they did there.

    Without `tests` the pairs of the result share the error rate.
    """
    pairs = pairs_of(result)
    level = _shared(alpha, max(1, len(pairs)) if tests is None else tests)
    needed = []
    for pair in pairs:
        sd = float(pair.differences.std(ddof=1)) if result.deals > 1 else 0.0
        if sd > 0:
            deals = stats.values_needed(
                difference, sd, level, power, sample=pair.differences, bound=pair.bound
            )
            games = deals * result.work.games
            needed.append(Needed(pair.side, pair.first, pair.second, sd, difference, deals, games))
    if not needed:
        raise SettingError("the result has no two strategies that did differently")
    return tuple(needed)


def games_of(deals: int, strategies: int = 2) -> dict[str, int]:
    """How many games so many strategies play on some deals, by the command that plays them.

    Examples:
        >>> games_of(100)
        {'arena match': 600, 'arena contracts': 400}
    """
    return {
        "arena match": deals * len(seatings([str(at) for at in range(strategies)])),
        "arena contracts": deals * strategies**2,
    }


def needed_table(
    result: PlayResult | MatchResult,
    difference: float,
    *,
    alpha: float = 0.05,
    power: float = 0.9,
    tests: int | None = None,
) -> StudyTable:
    """What `needed_for` gives, as a table; deals are rubbers if the result is of rubbers."""
    tests = max(1, len(pairs_of(result))) if tests is None else tests
    needed = needed_for(result, difference, alpha=alpha, power=power, tests=tests)
    each, deals = result.work.unit, result.deals
    rough = "" if deals >= stats.FEWEST_DEALS else ", which is few: take the numbers as rough"
    made = table(
        "arena-power",
        f"{each.capitalize()}s needed",
        needed,
        f"{design_text(alpha, power, tests)} Standard deviations over {deals:,} {each}s{rough}.",
    )
    if each == "deal":
        return made
    names = {"sd per deal": f"sd per {each}", "deals": f"{each}s", "games": f"{each}s played"}
    columns = (replace(column, name=names.get(column.name, column.name)) for column in made.columns)
    return replace(made, columns=tuple(columns))


def design_text(alpha: float, power: float, tests: int) -> str:
    """Error rate and power in words."""
    over = f" over {tests} tests" if tests > 1 else ""
    return f"Error rate {alpha:g}{over}, power {power:g}."


def _shared(alpha: float, tests: int) -> float:
    """The error rate of each of some tests."""
    if tests < 1:
        raise SettingError(f"the number of tests must be 1 or more, not {tests}")
    return alpha / tests
