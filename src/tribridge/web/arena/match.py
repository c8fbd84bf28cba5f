"""One match of the arena: what a visitor may ask for, its standing, and the game being played.

The standing is computed by the workers, with the arena's statistics. What is stored of a match, and
what the API sends of its standing, is the JSON of these values.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, NamedTuple

from tribridge.arena.playing import Game
from tribridge.arena.results import UNKNOWN, Origin
from tribridge.arena.work import MatchWork, Outcome, command_of, seatings
from tribridge.game.laws import all_laws
from tribridge.strategies.versions import list_versions
from tribridge.web.core.bots import check_strategy
from tribridge.web.core.matches import check_scheme
from tribridge.web.errors import WebError
from tribridge.web.view.values import filled

if TYPE_CHECKING:
    from tribridge.stats import Interval

RUNNING: Final = "running"
FINISHED: Final = "finished"
STOPPED: Final = "stopped"
OUT_OF_TIME: Final = "out of time"
INTERRUPTED: Final = "interrupted"
FAILED: Final = "failed"

FEWEST_DEALS: Final = 2
MOST_DEALS: Final = 500
MOST_RUBBERS: Final = 50
SECONDS_PER_CHOICE: Final = 5.0
"""A strategy that takes longer commits a fault, and a substitute chooses for it."""
_LONGEST_NAME: Final = 120


class Ends(NamedTuple):
    """A mean and the ends of its 95% interval; one that is not known yet is None."""

    mean: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Plan:
    """The settings of a match: those of `tribridge arena match`."""

    strategies: tuple[str, ...]
    deals: int = 100
    seed: int = 1
    scheme: str = "auction"
    laws: str | None = None
    """The laws of rubbers, which then replace the scheme; `deals` counts rubbers."""
    doubles: bool = False

    def checked(self) -> Plan:
        """The plan with normalised names; refused if it cannot be played here."""
        texts = [text for text in self.strategies if text.strip()]
        if any(len(text) > _LONGEST_NAME for text in texts):
            raise WebError(
                "the name of a strategy has at most {most} characters", most=_LONGEST_NAME
            )
        names = tuple(map(check_strategy, texts))
        if not 2 <= len(names) <= 3:
            raise WebError("choose two or three strategies, not {number}", number=len(names))
        check_scheme(self.scheme)
        if self.laws is not None and self.laws not in all_laws():
            raise WebError(
                "unknown laws {laws!r}: expected {known}",
                laws=self.laws,
                known=", ".join(all_laws()),
            )
        most = MOST_DEALS if self.laws is None else MOST_RUBBERS
        if not FEWEST_DEALS <= self.deals <= most:
            raise WebError(
                "a match here has {least} to {most} deals, not {number}"
                if self.laws is None
                else "a match here has {least} to {most} rubbers, not {number}",
                least=FEWEST_DEALS,
                most=most,
                number=self.deals,
            )
        plan = replace(self, strategies=names)
        plan.work()
        return plan

    def work(self) -> MatchWork:
        """The games to be played, as the arena describes them."""
        return filled(MatchWork, self, limit=SECONDS_PER_CHOICE)


@dataclass(frozen=True, slots=True)
class Score:
    """Points per game of a strategy, with a 95% interval; an end not known yet is null."""

    strategy: str
    mean: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Difference:
    """How many more points the first of two scores at the same table, with a 95% interval."""

    first: str
    second: str
    mean: float
    low: float | None
    high: float | None
    p: float | None = None
    """Corrected by Holm over all pairs; null until the match is over, or for too few deals."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The result after some deals."""

    deals: int
    scores: tuple[Score, ...]
    differences: tuple[Difference, ...]
    lines: tuple[str, ...] = ()
    """The answer in words, once the match is over."""


def standing(work: MatchWork, games: Sequence[Outcome], over: bool = False) -> Standing:
    """Points and paired differences with their intervals, from the games of the first deals.

    Once the match is over they come with tests and the lines that the command prints.
    """
    from tribridge.arena.analysis import compare, match_pairs
    from tribridge.arena.results import match_result
    from tribridge.stats import mean_interval

    result = match_result(work, games)
    by_deal = result.by_deal()
    tests: dict[frozenset[str], float | None] = {}
    lines: list[str] = []
    if over and result.deals > 1:
        from tribridge.studies.arena_tables import match_report, summary

        lines = summary(match_report(result))
        for test in compare(match_pairs(result)):
            p = None if math.isnan(test.p_holm) else test.p_holm
            tests[frozenset((test.first, test.second))] = p
    return Standing(
        result.deals,
        tuple(
            Score(name, *_ends(mean_interval(by_deal[:, at])))
            for at, name in enumerate(work.strategies)
        ),
        tuple(
            Difference(
                pair.first,
                pair.second,
                *_ends(mean_interval(pair.differences, pair.bound)),
                tests.get(frozenset((pair.first, pair.second))),
            )
            for pair in match_pairs(result)
        ),
        tuple(lines),
    )


def _ends(interval: Interval) -> Ends:
    low, high = (
        float(end) if math.isfinite(end) else None for end in (interval.low, interval.high)
    )
    return Ends(float(interval.estimate), low, high)


@dataclass(eq=False, slots=True)
class SeatedGame:
    """A game of strategies in their seats, as far as it was played."""

    names: tuple[str, ...]
    """Who plays North, East and South."""
    game: Game
    deal: int = 0
    """The number of the deal or rubber, from 0."""
    seating: int = 0
    """Which seating of the strategies plays it, from 0."""
    at: int = 0
    """Which deal of its rubber it is, from 0."""


@dataclass(eq=False, kw_only=True)
class StoredMatch:
    """What is stored of a match."""

    plan: Plan
    key: str
    """The hash of the token that may stop it."""
    origin: Origin = UNKNOWN
    """When it began, and by which versions of the strategies it is played."""
    status: str = RUNNING
    why: str = ""
    """What went wrong, if it failed."""
    deals: int = 0
    """How many are finished."""
    seconds: float = 0.0
    started: float = field(default_factory=time.time)
    standing: Standing | None = None
    history: list[tuple[int, tuple[Ends, ...]]] = field(default_factory=list)
    """After some numbers of deals: the difference of each pair."""


@dataclass(eq=False, kw_only=True)
class ArenaMatch(StoredMatch):
    """A match and what is known of it."""

    id: str
    client: str = ""
    live: SeatedGame | None = None
    stopping: bool = False
    version: int = 0
    """Rises with every change but those of the game on the board."""
    task: asyncio.Task[None] | None = None
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def running(self) -> bool:
        return self.status == RUNNING

    @property
    def resumable(self) -> bool:
        """Whether it ended early and can go on, with the same strategies."""
        early = self.status in (STOPPED, OUT_OF_TIME, INTERRUPTED) and self.deals < self.plan.deals
        return early and self.origin.strategies == self.plan.work().versions

    @property
    def played_by(self) -> str:
        """The strategies in their versions, with the hashes of their weights."""
        return list_versions(self.origin.strategies)

    @property
    def command(self) -> str:
        """The command that plays the same deals; while the match runs, all of them."""
        return command_of(self.plan.work(), 0, self.plan.deals if self.running else self.deals)

    @property
    def seatings(self) -> tuple[tuple[str, ...], ...]:
        return seatings(self.plan.strategies)

    def publish(self, *, board: bool = False) -> None:
        """Wake those who follow the match."""
        self.version += not board
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    async def changed(self, most: float) -> bool:
        """Wait for a change, for some seconds at most; whether there was one."""
        try:
            async with asyncio.timeout(most):
                return await self._changed.wait()
        except TimeoutError:
            return False

    def observe(self, now: Standing) -> None:
        self.standing = now
        ends = tuple(Ends(pair.mean, pair.low, pair.high) for pair in now.differences)
        if not self.history or self.history[-1][0] != now.deals:
            self.history.append((now.deals, ends))
