"""Two strategies against each other on the same deals, and the answer in a sentence."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

from tribridge.arena.analysis import Comparison, compare, pairs_of
from tribridge.arena.results import MatchResult, PlayResult, result_of
from tribridge.arena.running import backend, run
from tribridge.arena.work import MatchWork, PlayWork
from tribridge.errors import SettingError
from tribridge.stats import FEWEST_DEALS

_AS: Final = {"player": "", "declarer": "As declarer, ", "defence": "As defender, "}


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
        return "\n".join(_sentence(one, unit, each) for one in self.comparisons)

    def __str__(self) -> str:
        return self.summary()


def hold(
    work: MatchWork | PlayWork, deals: int, processes: int = 1, cluster: str | None = None
) -> Contest:
    """Play `deals` deals; a strategy that fails ends the contest with an error.

    They are played in this process, in several (0: one a core) or on a Dask cluster.
    """
    if deals < 2:
        raise SettingError(f"a comparison needs at least 2 deals, not {deals}")
    work = replace(work, stop=True)
    where = backend(processes if cluster is None else 0, cluster)
    result = result_of(work, run(work, (0, deals), where).games)
    return Contest(result, tuple(compare(pairs_of(result))))


def _sentence(one: Comparison, unit: str, each: str) -> str:
    margin = one.difference
    start = f"{_AS[one.side]}{one.first}"
    if one.effect == 0:
        return f"{start} and {one.second} did equally well over {one.deals} {each}s."
    verb = {"player": "scores", "declarer": "takes", "defence": "concedes"}[one.side]
    more = "fewer" if one.side == "defence" else "more"
    digits = 1 if unit == "points" else 2
    if one.deals < FEWEST_DEALS:
        basis = (
            f"{one.deals} {each}s: too few for an interval and a p-value, which take "
            f"{FEWEST_DEALS} {each}s"
        )
    else:
        p = "p < 0.001" if one.p < 0.001 else f"p = {one.p:.3f}"
        basis = (
            f"95% interval {margin.low:.{digits}f} to {margin.high:.{digits}f}, {p}, "
            f"{one.deals} {each}s"
        )
    return (
        f"{start} {verb} {margin.estimate:.{digits}f} {more} {unit} per {each} than {one.second} "
        f"({basis})."
    )
