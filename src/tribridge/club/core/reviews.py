"""Reviews of finished deals, judged choice by choice by the workers and then stored.

A busy server takes longer and says the same: every choice waits for a fair turn at the workers and
then takes the time that it needs. A review is stored as it grows: of the servers that share a store
one judges and the others follow. One that fails says so, and goes on when it is asked for later.

While a deal is played, a process that gives way to all others judges it ahead. Nobody sees that,
and nothing of it is stored, before the deal is over and its review asked for.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Final

from tribridge.cards.deals import Seat
from tribridge.club.core.background import begin
from tribridge.club.core.store import Store, apart, upsert
from tribridge.club.core.workers import FailedError, Workers
from tribridge.club.errors import NotStoredError, TooManyError
from tribridge.common import codec
from tribridge.common.sentences import Sentence
from tribridge.game import Action, Call, Table
from tribridge.reviews import (
    Judgement,
    Plan,
    brief_headline,
    headline,
    judge,
    judging,
    later_calls,
    named_in_headline,
    own_costliest,
    own_words,
    praise,
    result_turned,
    turning_point,
    well_played,
)
from tribridge.reviews.wording import summaries

LAYOUTS: Final = judging.LAYOUTS
_STUCK: Final = 3600.0
"""Seconds after which a worker does not come back: on any machine a choice takes far less."""
_OFTEN: Final = 1.0
"""Seconds between two looks at the review of another server, and between its steps in the store."""
_AGAIN: Final = 30.0
"""Seconds until a review that failed is tried again, if somebody asks for it."""
_LOG: Final = logging.getLogger("tribridge.club")
_VERSION: Final = 9
_DIGITS: Final = 3
"""Digits of stored numbers; those of a review in progress are rounded, too."""
_MOST_KEPT: Final = 64
"""Finished reviews kept in memory."""


@dataclass(slots=True)
class Analysis:
    """What is known of a review so far."""

    total: int
    """Calls and cards of the deal."""
    judgements: list[Judgement] = field(default_factory=list)
    players: list[Sentence] = field(default_factory=list)
    """A sentence about each player, once all choices are judged."""
    over: bool = False
    """Whether nothing more will come."""
    again: float | None = None
    """When it is tried again if it failed, by the monotonic clock."""
    task: asyncio.Task[None] | None = None

    @property
    def failed(self) -> bool:
        return self.again is not None

    @property
    def complete(self) -> bool:
        return len(self.judgements) == self.total

    @property
    def turning_point(self) -> Judgement | None:
        """The choice that decided the deal, once all are judged; None if nothing did."""
        return turning_point(self.judgements) if self.complete else None

    @property
    def named(self) -> Judgement | None:
        """The choice that the headline names first."""
        return next(iter(named_in_headline(self.judgements)), None) if self.complete else None

    @property
    def result_turned(self) -> bool:
        """Whether what cost most decided the deal, and not only some tricks more or less."""
        return result_turned(self.judgements)

    def headline(self, names: Sequence[str]) -> Sentence:
        """What decided the deal, once all choices are judged."""
        return headline(self.judgements, names)

    def brief_headline(self, names: Sequence[str]) -> Sentence:
        """The same, for where there is little room."""
        return brief_headline(self.judgements, names)

    def own_words(self, seat: Seat) -> Sentence | None:
        """What a player could have done better, in their own words."""
        return own_words(self.judgements, seat) if self.complete else None

    def own_costliest(self, seat: Seat) -> Judgement | None:
        """The mistake of a player that cost most; None if none did, and while not all is judged."""
        return own_costliest(self.judgements, seat) if self.complete else None

    @property
    def well_played(self) -> Judgement | None:
        """The card that few experts would find, once all choices are judged."""
        played = well_played(self.judgements) if self.complete else None
        return None if played is None else played[0]

    def praise(self, names: Sequence[str]) -> Sentence | None:
        """The same in words."""
        return praise(self.judgements, names)


@dataclass(slots=True, eq=False)
class Ahead:
    """The first judgements on a deal, made while it was being played."""

    table: Table
    names: Sequence[str]
    judgements: list[Judgement] = field(default_factory=list)
    task: asyncio.Task[None] | None = None

    def asked(self, at: int) -> tuple[Table, Action, Plan, tuple[Call, ...]]:
        """What a worker needs to judge a call or card, counted from 0."""
        history = self.table.history
        before = self.table.undo(len(history) - at)
        plan = Plan(LAYOUTS, names=tuple(self.names))
        return before, history[at], plan, later_calls(self.table, before)

    def standing(self, table: Table, names: Sequence[str]) -> list[Judgement]:
        """Those that hold for a table: on the same deal after the same auction, not taken back."""
        if not self.judgements or names != self.names or _dealt(self.table) != _dealt(table):
            return []
        if self.table.auction.calls != table.auction.calls:
            return []
        pairs = zip(self.table.history, table.history, strict=False)
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        return self.judgements[:same]


def _dealt(table: Table) -> tuple[object, ...]:
    """What a table was before the first call."""
    auction = table.auction
    rules = auction.doubles, table.rubber, table.scheme, table.vulnerable
    return table.deal, auction.dealer, rules


def _rounded(judgement: Judgement) -> Judgement:
    """A judgement as it is stored."""
    return codec.read(codec.plain(judgement, digits=_DIGITS), Judgement)


class Reviews:
    """The reviews of a server."""

    def __init__(self, store: Store, workers: Workers) -> None:
        self.store, self.workers = store, workers
        self.known: dict[tuple[str, int], Analysis] = {}
        """By table and deal: those in progress, and some that are finished."""
        self._aside = asyncio.Lock()
        self._ahead: set[asyncio.Task[None]] = set()

    def begin_ahead(self, ahead: Ahead, current: Callable[[], bool]) -> None:
        """Judge a deal while it is played, unless that is under way."""
        if ahead.task is None or ahead.task.done():
            ahead.task = begin(self._judge_ahead(ahead, current))
            self._ahead.add(ahead.task)
            ahead.task.add_done_callback(self._ahead.discard)

    async def _judge_ahead(self, ahead: Ahead, current: Callable[[], bool]) -> None:
        """Judge choice by choice, aside from the moves of all tables.

        What a call led to is known when the auction is over.
        """
        while True:
            async with self._aside:  # by now the table may have moved, even backwards
                if self.workers.queue.turns == 1 or not current():
                    return
                table = ahead.table
                if not table.auction.over or len(ahead.judgements) >= len(table.history):
                    return
                now = Ahead(ahead.table, ahead.names, ahead.judgements[:])
                try:
                    choice = await self.workers.aside(
                        _STUCK, judge, *now.asked(len(now.judgements))
                    )
                except FailedError:
                    return
            now.judgements.append(_rounded(choice))
            ahead.judgements = max(
                ahead.judgements, now.standing(ahead.table, ahead.names), key=len
            )

    async def find(self, client: str, table: str, deal: int, ahead: Ahead) -> Analysis:
        """The review of a deal as far as it has got; it is begun when it is first asked for."""
        if (known := self._current(table, deal)) is not None:
            return known
        total = len(ahead.table.history)
        analysis = await self.stored(table, deal, total) or Analysis(total)
        if (known := self._current(table, deal)) is not None:  # somebody else was faster
            return known
        if not analysis.over:
            judging = self._judge(analysis, client, table, deal, ahead)
            analysis.task = asyncio.get_running_loop().create_task(judging)
        if len(self.known) >= _MOST_KEPT:
            self.known = {
                key: analysis for key, analysis in self.known.items() if not analysis.over
            }
        self.known[table, deal] = analysis
        return analysis

    def _current(self, table: str, deal: int) -> Analysis | None:
        """A review in memory, unless it is time to try it again."""
        known = self.known.get((table, deal))
        if known is None:
            return None
        waits = known.again is not None and time.monotonic() < known.again
        return known if known.complete or not known.over or waits else None

    @apart
    def stored(self, table: str, deal: int, total: int) -> Analysis | None:
        """The review of a deal as far as it is stored; None if there is none of this version."""
        return self.stored_now(table, deal, total)

    def stored_now(self, table: str, deal: int, total: int) -> Analysis | None:
        """The same, for whoever may block."""
        query = "SELECT body FROM reviews WHERE tab = ? AND deal = ?"
        rows = self.store.rows(query, table, deal)
        body = json.loads(rows[0][0]) if rows else None
        if not isinstance(body, dict) or body.get("version") != _VERSION:
            return None
        judgements = codec.read(body["judgements"], list[Judgement])
        players = codec.read(body["players"], list[Sentence])
        return Analysis(total, judgements, players, over=len(judgements) == total)

    @apart
    def judged(self, table: str, deal: int, number: int) -> Judgement | None:
        """The verdict on a call or card, counted from 1, if it is stored."""
        review = self.stored_now(table, deal, number)
        known = [] if review is None else review.judgements
        return known[number - 1] if 0 < number <= len(known) else None

    def forget(self, table: str) -> None:
        """Drop the reviews of a table whose events were deleted."""
        self.known = {key: analysis for key, analysis in self.known.items() if key[0] != table}

    async def close(self) -> None:
        judging = (analysis.task for analysis in self.known.values())
        tasks = [*self._ahead, *(task for task in judging if task is not None)]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _judge(
        self, analysis: Analysis, client: str, table: str, deal: int, ahead: Ahead
    ) -> None:
        """Judge a deal; the analysis fills up while the workers go through it."""
        mine, stored_at, held = False, time.monotonic(), f"review {table} {deal}"
        try:
            while not analysis.complete:
                if not mine:
                    mine = await self.store.apart(self.store.claim, held)
                    stored = await self.stored(table, deal, analysis.total)
                    if stored is not None:
                        analysis.judgements, analysis.players = stored.judgements, stored.players
                    if not mine:  # another server is at it
                        await asyncio.sleep(_OFTEN)
                    elif len(ahead.judgements) > len(analysis.judgements):
                        analysis.judgements = list(ahead.judgements)
                    continue
                at = len(analysis.judgements)
                choice = await self.workers.ask(client, table, _STUCK, judge, *ahead.asked(at))
                analysis.judgements.append(_rounded(choice))
                if analysis.complete:
                    analysis.players = list(summaries(analysis.judgements, ahead.names).values())
                if analysis.complete or time.monotonic() > stored_at + _OFTEN:
                    await self.keep(table, deal, analysis)
                    stored_at = time.monotonic()
        except Exception as error:
            analysis.again = time.monotonic() + _AGAIN
            expected = isinstance(error, (FailedError, TooManyError, NotStoredError))
            _LOG.warning(
                "the review of deal %d at table %s failed after %d of %d calls and cards: %s",
                deal, table, len(analysis.judgements), analysis.total, error,
                exc_info=None if expected else error,
            )  # fmt: skip
        finally:
            analysis.over = True
            if mine:
                await self.store.apart(self.store.release, held)

    @apart
    def keep(self, table: str, deal: int, analysis: Analysis) -> None:
        """Store a review, if it can be written: it would only take time to compute it again."""
        judgements = codec.plain(analysis.judgements, list[Judgement])
        players = codec.plain(analysis.players, list[Sentence])
        body = {"version": _VERSION, "judgements": judgements, "players": players}
        with suppress(NotStoredError):
            statement = upsert("reviews", "tab, deal", tab=table, deal=deal, body=json.dumps(body))
            self.store.change(statement)
