"""The matches of a server: started by visitors, played in slices by the workers, kept a while.

A slice is a fraction of a second or one choice of a strategy, whichever is longer, and all matches
together count as one visitor in the queue for the workers, so tables hardly wait for them. The
records of every finished deal are stored at once, in the form of the arena's record files; what
else is known of a match is stored when it ends. Of a server that was killed, the finished deals of
its matches remain, and whoever started one can let it go on.
"""

from __future__ import annotations

import asyncio
import gzip
import hmac
import logging
import secrets
import time
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from typing import Final

from tribridge import codec
from tribridge.arena.playing import Game
from tribridge.arena.results import new_origin
from tribridge.arena.work import Outcome, packed, recorded
from tribridge.errors import TribridgeError
from tribridge.game.record import Event
from tribridge.web.arena.match import (
    FAILED,
    FINISHED,
    INTERRUPTED,
    OUT_OF_TIME,
    RUNNING,
    SECONDS_PER_CHOICE,
    STOPPED,
    ArenaMatch,
    Plan,
    SeatedGame,
    Standing,
    StoredMatch,
    standing,
)
from tribridge.web.core.rooms import new_name
from tribridge.web.core.store import Store
from tribridge.web.core.workers import Workers
from tribridge.web.errors import NotNowError, NotYoursError, TooManyError, UnknownTableError

SLICE: Final = 0.2
"""Seconds for which a worker plays before tables get their turn."""
LONGEST: Final = 1200.0
"""Seconds after which a match ends with the deals it has."""
MOST_PER_VISITOR: Final = 2
MOST_RUNNING: Final = 4
MOST_KEPT: Final = 200
MOST_BYTES: Final = 100_000_000
"""Of records, over all matches that are kept."""
BETWEEN: Final = 0.5
"""Seconds between two updates of the intervals."""
_CLIENT: Final = "arena"
_MARGIN: Final = 30.0
_SECONDS_TO_CONCLUDE: Final = 120.0
_MOST_IN_MEMORY: Final = 32
_LOG: Final = logging.getLogger("tribridge.web")


class _EndedError(Exception):
    """A match that ends before its last deal; the argument is its status."""


def _hashed(token: str) -> str:
    return sha256(token.encode()).hexdigest()


class Arena:
    """The matches of a server."""

    def __init__(self, store: Store, workers: Workers) -> None:
        self.store, self.workers = store, workers
        self._matches: dict[str, ArenaMatch] = {}

    async def close(self) -> None:
        """Stop all matches; their finished deals are kept."""
        tasks = [match.task for match in self._matches.values() if match.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def start(self, plan: Plan, client: str) -> tuple[ArenaMatch, str]:
        """Start a match; it and the token that may stop it."""
        plan = plan.checked()
        self._check_room(client)
        token = secrets.token_urlsafe(16)
        name = new_name()
        origin = new_origin(plan.work(), 0, plan.deals, 0)
        match = ArenaMatch(id=name, plan=plan, key=_hashed(token), client=client, origin=origin)
        self._expire()
        row = name, int(match.started), codec.dumps(match, StoredMatch)
        self.store.change(("INSERT INTO arena_matches VALUES (?, ?, ?)", row))
        self._remember(match)
        match.task = asyncio.get_running_loop().create_task(self._run(match))
        return match, token

    def go_on(self, match: ArenaMatch, token: str | None, client: str) -> None:
        """Play the deals that are left of a match that ended early; only who started it may."""
        self.check_owner(match, token)
        if not match.resumable or (match.task is not None and not match.task.done()):
            raise NotNowError("only a match that was stopped or interrupted can go on")
        self._check_room(client)
        match.status, match.client, match.stopping = RUNNING, client, False
        self._keep(match)
        match.task = asyncio.get_running_loop().create_task(self._run(match))

    def _check_room(self, client: str) -> None:
        """Refuse one more match if too many are running."""
        running = [match for match in self._matches.values() if match.running]
        if sum(match.client == client for match in running) >= MOST_PER_VISITOR:
            raise TooManyError(
                "{most} matches of yours are still running: wait for one to end, or stop it",
                most=MOST_PER_VISITOR,
            )
        if len(running) >= MOST_RUNNING:
            raise TooManyError(
                "{most} matches are running on this server: try again in a few minutes",
                most=MOST_RUNNING,
            )

    def stop(self, match: ArenaMatch, token: str | None) -> None:
        """Let a match end with the deals that it has; only who started it may."""
        self.check_owner(match, token)
        if not match.running:
            raise NotNowError("the match is already over")
        match.stopping = True

    def owns(self, match: ArenaMatch, token: str | None) -> bool:
        """Whether a token may stop a match."""
        return token is not None and hmac.compare_digest(match.key, _hashed(token))

    def check_owner(self, match: ArenaMatch, token: str | None) -> None:
        """Refuse everyone but the visitor who started a match."""
        if not self.owns(match, token):
            raise NotYoursError("only the visitor who started a match can stop it or let it go on")

    def find(self, name: str) -> ArenaMatch:
        if name in self._matches:
            return self._matches[name]
        rows = self.store.rows("SELECT body FROM arena_matches WHERE id = ?", name)
        if not rows:
            raise UnknownTableError("there is no such match: old ones are deleted after a while")
        match = ArenaMatch(id=name, **vars(codec.loads(rows[0][0], StoredMatch)))
        self._remember(match)
        if match.running:  # the server stopped meanwhile
            query = "SELECT COUNT(*) FROM arena_deals WHERE match = ?"
            match.deals = self.store.rows(query, name)[0][0]
            match.task = asyncio.get_running_loop().create_task(
                self._conclude(match, None, INTERRUPTED)
            )
        return match

    def recent(self, most: int = 10) -> list[ArenaMatch]:
        """The matches started last, newest first."""
        query = "SELECT id FROM arena_matches ORDER BY started DESC, rowid DESC LIMIT ?"
        return [self.find(name) for (name,) in self.store.rows(query, most)]

    def records(self, match: ArenaMatch, deal: int) -> str:
        """The records of all games on a finished deal, as JSON Lines; deals count from 0."""
        query = "SELECT data FROM arena_deals WHERE match = ? AND number = ?"
        rows = self.store.rows(query, match.id, deal)
        if not rows:
            raise UnknownTableError(
                "deal {deal} is not among the {finished} finished in this match"
                if match.plan.laws is None
                else "rubber {deal} is not among the {finished} finished in this match",
                deal=deal + 1,
                finished=match.deals,
            )
        return gzip.decompress(rows[0][0]).decode()

    def games(self, match: ArenaMatch) -> list[Outcome]:
        """The outcomes of all games on the finished deals."""
        query = "SELECT data FROM arena_deals WHERE match = ? ORDER BY number"
        return [game for (data,) in self.store.rows(query, match.id) for game in recorded(data)]

    def _remember(self, match: ArenaMatch) -> None:
        self._matches[match.id] = match
        for name, old in list(self._matches.items())[:-_MOST_IN_MEMORY]:
            if old.task is None or old.task.done():
                del self._matches[name]

    def _expire(self) -> None:
        """Delete the oldest matches that are over, as far as there are too many."""
        query = (
            "SELECT id, (SELECT COALESCE(SUM(LENGTH(data)), 0) FROM arena_deals WHERE match = id) "
            "FROM arena_matches ORDER BY started DESC, rowid DESC"
        )
        total = 0
        for count, (name, size) in enumerate(self.store.rows(query), 2):  # one more comes
            total += size
            match = self._matches.get(name)
            if (count > MOST_KEPT or total > MOST_BYTES) and (match is None or not match.running):
                self.store.change(
                    ("DELETE FROM arena_deals WHERE match = ?", (name,)),
                    ("DELETE FROM arena_matches WHERE id = ?", (name,)),
                )
                self._matches.pop(name, None)

    async def _run(self, match: ArenaMatch) -> None:
        """Play a match to its end, from where it is."""
        status, games, begun, before = FINISHED, list[Outcome](), time.monotonic(), match.seconds
        try:
            updated = 0.0
            games += await asyncio.to_thread(self.games, match)
            for number in range(match.deals, match.plan.deals):
                games += await self._deal(match, number, begun)
                match.deals, match.seconds = number + 1, before + time.monotonic() - begun
                if time.monotonic() - updated >= BETWEEN:
                    match.observe(await self._standing(match, games))
                    updated = time.monotonic()
                match.publish()
        except _EndedError as ended:
            status = str(ended)
        except asyncio.CancelledError:  # the server stops; whoever asks for it later concludes it
            with suppress(TribridgeError):
                self._keep(match)
            raise
        except TribridgeError as error:
            _LOG.warning("a match of the arena failed: %s", error)
            status, match.why = FAILED, str(error)
        except Exception:
            _LOG.exception("a match of the arena has stopped")
            status, match.why = FAILED, "an error of the server"
        match.seconds = before + time.monotonic() - begun
        await self._conclude(match, games, status)

    async def _conclude(
        self, match: ArenaMatch, games: Sequence[Outcome] | None, status: str
    ) -> None:
        """The result of the finished deals, computed and stored."""
        try:
            if games is None:
                games = await asyncio.to_thread(self.games, match)
            if games:
                match.observe(await self._standing(match, games, over=True))
        except TribridgeError as error:
            _LOG.warning("a match of the arena has no result: %s", error)
            status, match.why = FAILED, str(error)
        match.status = status
        with suppress(TribridgeError):
            self._keep(match)
        match.publish()

    def _keep(self, match: ArenaMatch) -> None:
        command = "UPDATE arena_matches SET body = ? WHERE id = ?"
        self.store.change((command, (codec.dumps(match, StoredMatch), match.id)))

    async def _deal(self, match: ArenaMatch, number: int, begun: float) -> list[Outcome]:
        """Play a deal, or a rubber, in all seatings and store its records."""
        work, records, outcomes = match.plan.work(), list[Event](), list[Outcome]()
        for seating, names in enumerate(match.seatings):
            games: list[Game] = []
            while (table := work.next_table(number, games)) is not None:
                live = SeatedGame(names, Game(table, table), number, seating, len(games))
                match.live = live
                while live.game.table.turn is not None:
                    if match.stopping:
                        raise _EndedError(STOPPED)
                    if time.monotonic() - begun > LONGEST:
                        raise _EndedError(OUT_OF_TIME)
                    live.game = await self.workers.ask(
                        _CLIENT,
                        match.id,
                        SECONDS_PER_CHOICE + SLICE + _MARGIN,
                        work.play_on,
                        live.game,
                        names,
                        number,
                        len(games),
                        SLICE,
                    )
                    match.publish(board=True)
                games.append(live.game)
            outcome = work.outcome(names, number, games)
            records += work.records(outcome, games)
            outcomes.append(outcome)
        await asyncio.to_thread(self._store, match, number, records)
        return outcomes

    def _store(self, match: ArenaMatch, number: int, records: Sequence[Event]) -> None:
        row = match.id, number, packed(records)
        self.store.change(("INSERT INTO arena_deals VALUES (?, ?, ?)", row))

    async def _standing(
        self, match: ArenaMatch, games: Sequence[Outcome], over: bool = False
    ) -> Standing:
        work, limit = match.plan.work(), _SECONDS_TO_CONCLUDE
        return await self.workers.ask(_CLIENT, match.id, limit, standing, work, games, over)
