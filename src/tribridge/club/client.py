"""A bot: a strategy in a seat at a table elsewhere, from the first deal it sees to the last.

The bot decides from the views that the JSON API sends to its seat and from nothing else. When the
stream of views is lost, it connects again; every action names the event that it follows, so one
that is sent again acts once.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from http.client import HTTPException
from typing import Any, Final, TypeVar
from urllib.error import HTTPError
from urllib.parse import quote, urlsplit
from urllib.request import Request, urlopen

from tribridge.cards.deals import Seat
from tribridge.club.core.claims import certain
from tribridge.club.core.names import free_name
from tribridge.common.errors import FormatError, NotFoundError, RunError
from tribridge.game.view_json import action_name, read_view
from tribridge.strategies import Strategy, decision_rng, guarded

T = TypeVar("T")
Fields = dict[str, Any]
"""A seat's view in JSON, as the API describes it."""

_SECONDS: Final = 30.0
"""Silence after which a connection counts as lost; a stream says something every 15 seconds."""
_PASSING: Final = frozenset({429, 502, 503, 504})
"""Statuses of a server that is busy, or of a proxy whose server is away."""
_LATE: Final = frozenset({409, 422})
"""Refusals of an action that the table has overtaken."""
_FIRST_PAUSE: Final = 0.25
_LONGEST_PAUSE: Final = 8.0
_TICK: Final = 0.5
"""Seconds between looks at a table that waits for the next deal."""


class AwayError(RunError):
    """A server that cannot be reached or is not able to answer right now."""


class RefusedError(RunError):
    """A request that the server refused."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(f"the server refused that: {text}")
        self.status = status


class Connection:
    """A table server, by its address without a path."""

    def __init__(self, server: str) -> None:
        self.server = server

    def ask(self, path: str, body: object = None, token: str | None = None) -> Any:
        """The JSON of `/api` + path; with a body it is a POST."""
        with self._open(path, body, token) as answer:
            try:
                return json.loads(answer.read())
            except ValueError:
                raise AwayError(f"{self.server} does not answer as a Tribridge table") from None
            except (OSError, HTTPException) as error:
                raise AwayError(f"cannot reach {self.server}: {_reason(error)}") from None

    def views(self, held: Seated, after: int) -> Iterator[Fields]:
        """The views of a seat after each event, until the connection is lost."""
        return _streamed(self._open(f"{held.path}/events?after={after}", None, held.token))

    def _open(self, path: str, body: object, token: str | None) -> Any:
        headers = {"accept": "application/json"}
        if token is not None:
            headers["authorization"] = f"Bearer {token}"
        data = None
        if body is not None:
            data, headers["content-type"] = json.dumps(body).encode(), "application/json"
        try:
            return urlopen(Request(f"{self.server}/api{path}", data, headers), timeout=_SECONDS)
        except HTTPError as error:
            with error:
                text = _error_text(error)
            if error.code in _PASSING:
                raise AwayError(f"{self.server} cannot answer now: {text}") from None
            raise RefusedError(error.code, text) from None
        except (OSError, HTTPException) as error:
            raise AwayError(f"cannot reach {self.server}: {_reason(error)}") from None


def _streamed(stream: Any) -> Iterator[Fields]:
    kind, data = "", ""
    with stream, suppress(OSError, HTTPException, ValueError):
        for line in stream:
            name, _, value = line.decode().rstrip("\r\n").partition(": ")
            if name == "event":
                kind, data = value, ""
            elif name == "data":
                data += value
            elif not name and kind == "table":
                yield json.loads(data)
                kind = ""


def split_address(url: str) -> tuple[str, str | None]:
    """The server and the table in the address of a server or of a table's page.

    >>> split_address("http://127.0.0.1:8013/table/abc"), split_address("https://cards.example/")
    (('http://127.0.0.1:8013', 'abc'), ('https://cards.example', None))
    """
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    if not good:
        raise FormatError(
            f"cannot read address {url!r}: expected that of a server or a table, as in "
            "http://127.0.0.1:8013/table/NAME"
        )
    server = f"{parts.scheme}://{parts.netloc}"
    base, marker, table = parts.path.rpartition("/table/")
    if not marker:
        return server + parts.path.rstrip("/"), None
    return server + base, table.split("/")[0] or None


def _error_text(error: HTTPError) -> str:
    try:
        return str(json.loads(error.read())["error"])
    except (OSError, HTTPException, ValueError, KeyError, TypeError):
        return f"status {error.code}"


def _reason(error: Exception) -> str:
    reason = getattr(error, "reason", error)
    return getattr(reason, "strerror", None) or str(reason) or type(reason).__name__


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a bot waits."""

    next_deal: float = 10.0
    """Seconds after a deal until the bot asks for the next one, if nobody else has."""
    server: float = 300.0
    """Seconds for which it tries to reach a server that was there before."""


@dataclass(frozen=True, slots=True)
class Seated:
    """A seat that a bot holds."""

    table: str
    seat: Seat
    token: str

    @property
    def path(self) -> str:
        return _path(self.table)


def _path(table: str) -> str:
    return f"/tables/{quote(table, safe='')}"


def take_seat(connection: Connection, table: str | None, seat: Seat | None, name: str) -> Seated:
    """Take a seat: the one asked for, or else the first open one; any table if none is named."""
    if table is None:
        table = _open_table(connection, seat)
    try:
        places = connection.ask(_path(table))["places"]
    except RefusedError as error:
        if error.status != 404:
            raise
        raise NotFoundError(f"there is no table {table!r} at {connection.server}") from None
    free = [Seat(place["seat"]) for place in places if place["open"]]
    if seat is None and not free:
        raise RunError(f"table {table} at {connection.server} has no open seat")
    chosen = free[0] if seat is None else seat
    if chosen not in free:
        others = ", ".join(map(str, free)) or "none"
        holder = places[chosen]["name"]
        raise RunError(f"{chosen} at table {table} is taken by {holder}; open seats: {others}")
    name = free_name(name, [place["name"] for place in places])
    sat = connection.ask(f"{_path(table)}/seats/{chosen.letter}", {"name": name})
    held = Seated(table, chosen, sat["token"])
    with suppress(RefusedError):  # the match has begun
        connection.ask(f"{held.path}/ready", {"ready": True}, held.token)
    return held


def _open_table(connection: Connection, seat: Seat | None) -> str:
    for table in connection.ask("/tables"):
        free = [place["seat"] for place in table["places"] if place["open"]]
        if free if seat is None else seat.letter in free:
            return str(table["table"])
    wanted = "an open seat" if seat is None else f"{seat} open"
    raise NotFoundError(f"no table at {connection.server} has {wanted}")


class Bot:
    """A strategy in a seat."""

    def __init__(
        self,
        connection: Connection,
        held: Seated,
        strategy: Strategy,
        seed: int,
        patience: Patience | None = None,
        say: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.connection, self.held, self.strategy, self.seed = connection, held, strategy, seed
        self.patience, self.say = patience or Patience(), say
        self._last = 0
        """The number of the newest event that the bot knows."""
        self._reported = 0
        """The last deal whose result was reported."""

    def play(self) -> Fields:
        """Play until the match is over; the last view."""
        for view in self._views():
            while view["number"] > self._last:
                self._last = view["number"]
                if view["deal_over"] and view["deal"] > self._reported:
                    self._reported = view["deal"]
                    self._report(view)
                if view["over"]:
                    return view
                view = self._respond(view)
        raise AssertionError("the views of a table have no end")

    def leave(self) -> None:
        """Give the seat up to a strategy of the server, if it can be reached."""
        with suppress(AwayError, RefusedError):
            self._ask("/leave", {"for_good": True})

    def _ask(self, path: str = "", body: Fields | None = None) -> Fields:
        view: Fields = self.connection.ask(f"{self.held.path}{path}", body, self.held.token)
        return view

    def _views(self) -> Iterator[Fields]:
        """The views of the seat, through lost connections."""
        while True:
            stream = partial(self.connection.views, self.held, self._last)
            for view in self._patiently(stream):
                if view["seat"] is None:
                    raise RunError(f"{self.held.seat} is no longer held by this bot")
                yield view
            self.say(f"lost {self.connection.server}; reconnecting")
            time.sleep(_FIRST_PAUSE)

    def _patiently(self, ask: Callable[[], T]) -> T:
        """What the server answers; asked again as long as it cannot be reached."""
        pause, give_up = _FIRST_PAUSE, time.monotonic() + self.patience.server
        while True:
            try:
                return ask()
            except AwayError:
                if time.monotonic() > give_up:
                    raise
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _respond(self, view: Fields) -> Fields:
        """The view after what the bot does; the same view if it has nothing to do."""
        letter, claim = self.held.seat.letter, view["claim"]
        if view["deal_over"]:
            return self._next_deal(view)
        if view["places"][self.held.seat]["away"]:
            return self._post("/back", {})
        at: Fields = {"at": view["number"]}
        if claim is not None and letter in claim["answering"]:
            return self._post("/claims/answer", at | {"agree": self._accepts(view)})
        if view["turn"] == letter:
            return self._post("/actions", at | {"action": self.choose(view)})
        return view

    def _next_deal(self, view: Fields) -> Fields:
        """The view once the bot, after somebody else or a while, is ready for the next deal."""
        if self.held.seat.letter in view.get("next_ready", ()):
            return view
        due = time.monotonic() + self.patience.next_deal
        while not view.get("next_ready") and (left := due - time.monotonic()) > 0:
            time.sleep(min(left, _TICK))
            seen = self._patiently(self._ask)
            if seen["number"] > view["number"]:
                return seen
        return self._post("/next", {"at": view["number"]})

    def _post(self, path: str, body: Fields) -> Fields:
        """The view after a change; as it is now, if the table has moved on meanwhile."""
        try:
            return self._patiently(partial(self._ask, path, body))
        except RefusedError as error:
            if error.status not in _LATE:
                raise
            view = self._patiently(self._ask)
            if view["number"] == body.get("at") and not view["deal_over"]:
                raise
            return view

    def choose(self, fields: Fields) -> str:
        """The strategy's call or card."""
        view = read_view(fields)
        actions = len(view.auction.calls) + len(view.played)
        rng = decision_rng(self.seed, fields["deal"] - 1, self.held.seat, actions)
        return action_name(guarded(self.strategy, view, rng).action)

    @staticmethod
    def _accepts(fields: Fields) -> bool:
        """Whether a claim is certain by what the claimer sees, whose hand it shows."""
        claim = fields["claim"]
        (hand,) = (one["cards"] for one in fields["faced"] if one["seat"] == claim["seat"])
        claimers = read_view(fields | {"seat": claim["seat"], "hand": hand})
        return certain(claimers, claim["tricks"])

    def _report(self, view: Fields) -> None:
        result = "passed out"
        if view["contract"] is not None:
            result = f"{view['contract']} by {view['names'][Seat(view['declarer'])]}"
        totals = ", ".join(
            f"{name} {points}" for name, points in zip(view["names"], view["totals"], strict=True)
        )
        whole = "the rubber" if view.get("laws") else view["deals"]
        self.say(f"Deal {view['deal']} of {whole}: {result}. Totals: {totals}")
