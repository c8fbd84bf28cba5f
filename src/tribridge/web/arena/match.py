"""One match of the arena: its settings, its state, and the game that is being played."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import asdict, dataclass, field
from typing import Final

from tribridge import codec
from tribridge.arena.playing import Game
from tribridge.arena.results import UNKNOWN, Origin
from tribridge.arena.work import command_of, seatings
from tribridge.strategies.versions import list_versions
from tribridge.web.arena.plan import Plan, plan_of
from tribridge.web.arena.standings import Estimate, Standing, standing_of

RUNNING: Final = "running"
FINISHED: Final = "finished"
STOPPED: Final = "stopped"
OUT_OF_TIME: Final = "out of time"
INTERRUPTED: Final = "interrupted"
FAILED: Final = "failed"


@dataclass(eq=False, slots=True)
class LiveGame:
    """A game that is being played, and was as far as `game` says."""

    deal: int
    """The number of the deal or rubber, from 0."""
    seating: int
    """Which seating of the strategies plays it, from 0."""
    at: int
    """Which deal of its rubber it is, from 0."""
    names: tuple[str, ...]
    game: Game


@dataclass(eq=False, slots=True)
class ArenaMatch:
    """A match and what is known of it."""

    id: str
    plan: Plan
    key: str
    """The hash of the token that may stop it."""
    client: str = ""
    origin: Origin = UNKNOWN
    """When it began, and by which versions of the strategies it is played."""
    status: str = RUNNING
    why: str = ""
    """What went wrong, if it failed."""
    deals: int = 0
    seconds: float = 0.0
    started: float = field(default_factory=time.time)
    standing: Standing | None = None
    history: list[tuple[int, tuple[Estimate, ...]]] = field(default_factory=list)
    """After some numbers of deals: the difference of each pair."""
    live: LiveGame | None = None
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
    def unit(self) -> str:
        """What is counted: deals or rubbers."""
        return "deal" if self.plan.laws is None else "rubber"

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
        """Note a new standing."""
        self.standing = now
        estimates = tuple(one.points for one in now.differences)
        if not self.history or self.history[-1][0] != now.deals:
            self.history.append((now.deals, estimates))

    def as_json(self) -> str:
        return json.dumps(
            {
                "plan": self.plan.as_json(),
                "key": self.key,
                "origin": asdict(self.origin),
                "status": self.status,
                "why": self.why,
                "deals": self.deals,
                "seconds": self.seconds,
                "started": self.started,
                "standing": None if self.standing is None else self.standing.as_json(),
                "history": [
                    [deals, [[one.mean, one.low, one.high] for one in estimates]]
                    for deals, estimates in self.history
                ],
            }
        )


def match_of(name: str, text: str) -> ArenaMatch:
    """The match that was written as JSON."""
    body = json.loads(text)
    stored = body["standing"]
    history = [(n, tuple(Estimate(*one) for one in many)) for n, many in body["history"]]
    return ArenaMatch(
        id=name,
        plan=plan_of(body["plan"]),
        key=body["key"],
        origin=codec.read(body.get("origin", {}), Origin),
        status=body["status"],
        why=body["why"],
        deals=body["deals"],
        seconds=body["seconds"],
        started=body["started"],
        standing=None if stored is None else standing_of(stored),
        history=history,
    )
