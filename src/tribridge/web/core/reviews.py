"""Reviews of finished deals, judged choice by choice by the workers and then stored.

A busy server takes longer and says the same: every choice waits for a fair turn at the workers and
then takes the time that it needs. A review that stopped is begun again when it is next asked for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tribridge import codec
from tribridge.game import Record
from tribridge.reviews import Judgement, Plan, judging
from tribridge.reviews.wording import summaries
from tribridge.web.core.store import Store
from tribridge.web.core.workers import FailedError, OutOfTimeError, Workers
from tribridge.web.core.workers import judged as judged_choice
from tribridge.web.errors import TooManyError

LAYOUTS: Final = judging.LAYOUTS
_STUCK: Final = 3600.0
"""Seconds after which a worker does not come back: on any machine a choice takes far less."""
_VERSION: Final = 2


@dataclass(slots=True)
class Analysis:
    """What is known of a review so far."""

    total: int
    """Calls and cards of the deal."""
    judgements: list[dict[str, Any]] = field(default_factory=list)
    """As JSON has a `Judgement`."""
    players: list[str] = field(default_factory=list)
    """A sentence about each player, once all choices are judged."""
    over: bool = False
    """Whether nothing more will come."""
    task: asyncio.Task[None] | None = None

    @property
    def complete(self) -> bool:
        return len(self.judgements) == self.total


def stored(store: Store, table: str, deal: int, total: int) -> Analysis | None:
    """The stored review of a deal; None if there is none of this version."""
    body = store.review(table, deal)
    if not isinstance(body, dict) or body.get("version") != _VERSION:
        return None
    return Analysis(total, body["judgements"], body["players"], over=True)


def begin(
    store: Store,
    workers: Workers,
    client: str,
    table: str,
    deal: int,
    record: Record,
    names: Sequence[str],
) -> Analysis:
    """Start judging a deal; the analysis fills up while the workers go through it."""
    analysis = Analysis(len(record.actions))

    async def run() -> None:
        plan = Plan(LAYOUTS, names=tuple(names))
        judged: list[Judgement] = []
        try:
            for at in range(analysis.total):
                judged.append(
                    await workers.ask(client, table, _STUCK, judged_choice, record, at, plan)
                )
                analysis.judgements.append(codec.plain(judged[-1], digits=3))
        except (FailedError, OutOfTimeError, TooManyError):
            return
        finally:
            analysis.over = True
        analysis.players = list(summaries(judged, names).values())
        body = {
            "version": _VERSION,
            "judgements": analysis.judgements,
            "players": analysis.players,
        }
        store.keep_review(table, deal, body)

    analysis.task = asyncio.get_running_loop().create_task(run())
    return analysis
