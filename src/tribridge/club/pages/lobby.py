"""The lobby: what there is to play, the open tables, and how a table is opened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Final
from urllib.parse import parse_qsl, urlencode

from fastapi import APIRouter, Depends, Form
from fastapi.responses import HTMLResponse, PlainTextResponse, Response
from pydantic import Field

from tribridge.cards.deals import Seat
from tribridge.club.core.all_rooms import seated
from tribridge.club.core.bots import (
    LONGEST_STRATEGY,
    MIXED,
    Level,
    choices,
    default_level,
    levels,
    seated_bots,
)
from tribridge.club.core.matches import DEFAULT_LAWS, MOST_DEALS, MatchPlan
from tribridge.club.core.names import clean_name
from tribridge.club.core.returning import returning
from tribridge.club.core.state import CHAT_RULES, TURN_SECONDS, Options, Place
from tribridge.club.errors import NotYoursError, UnknownTableError
from tribridge.club.language import mark
from tribridge.club.pages.league import NAMES, SIGNS
from tribridge.club.pages.templates import page, render
from tribridge.club.server.access import Asked, AskedOf, Server, keep, knows_rules, pay_for_table
from tribridge.club.server.operations import api_router, refusals
from tribridge.club.view.table import SeatView, TableSummary, seat_view
from tribridge.club.view.values import filled, sent, value
from tribridge.game import Record, schemes
from tribridge.game.laws import all_laws, laws_text
from tribridge.game.view_json import action_name
from tribridge.strategies import Entry

router = APIRouter(include_in_schema=False)
api = api_router("tables")

_YOU: Final = Seat.SOUTH
_DEALS: Final = 4
_LAST: Final = "match"
"""The cookie with the settings of the last match."""
_SEEDS: Final = 1 << 64
CODE_COST: Final = 20.0
"""The cost of trying a code, in requests: nobody finds a table by trying them all."""
_NUMBERS: Final = 1 << 62


async def _tables(server: Server) -> list[SeatView]:
    return [seat_view(room.name, room.state, None) for room in await server.rooms.listed()]


@dataclass(frozen=True, slots=True)
class Chosen:
    """What the forms of the lobby begin with."""

    strategy: str
    other: str = ""
    scoring: str = DEFAULT_LAWS
    deals: int = _DEALS
    no_doubles: bool = False
    no_hints: bool = False


def _chosen(here: Asked) -> Chosen:
    """The settings of the visitor's last match; whatever cannot be read is as for everybody."""
    strategy = default_level().strategy
    if _LAST not in here.request.cookies:
        if here.newcomer:
            return Chosen(
                levels()[0].strategy, scoring=next(iter(schemes())), deals=1, no_doubles=True
            )
        return Chosen(strategy)
    last = dict(parse_qsl(here.request.cookies[_LAST]))
    deals, scoring, other = last.get("deals", ""), last.get("scoring", ""), last.get("other", "")
    known = {MIXED, *(level.strategy for level in levels())}
    return Chosen(
        last["strategy"] if last.get("strategy") in known else strategy,
        other if len(other) <= LONGEST_STRATEGY and other.isprintable() else "",
        scoring if scoring in (*all_laws(), *schemes()) else DEFAULT_LAWS,
        int(deals) if deals in map(str, range(1, MOST_DEALS + 1)) else _DEALS,
        "no_doubles" in last,
        "no_hints" in last,
    )


def _for_friends(here: Asked) -> Chosen:
    """The same for a table for friends: there a newcomer's is as everybody's."""
    known = _LAST in here.request.cookies
    return _chosen(here) if known else Chosen(default_level().strategy)


@router.get("/")
async def lobby(here: AskedOf) -> HTMLResponse:
    """The start page: for a newcomer one button, for others what they left and what is new."""
    server, chosen = here.server, _chosen(here)
    known = await returning(
        server.rooms,
        server.games,
        server.challenges,
        server.puzzles,
        server.leagues,
        here.device,
    )
    return page(
        "lobby.html",
        r=known,
        key_damaged=here.key_damaged,
        today=server.challenges.today(),
        leagues=NAMES,
        signs=SIGNS,
        chosen=chosen,
        for_friends=_for_friends(here),
        tables=await _tables(here.server),
        levels=levels(),
        choices=choices(),
        schemes=schemes(),
        laws=all_laws(),
        most_deals=MOST_DEALS,
        name=here.name,
        first_visit="name" not in here.request.cookies,
        newcomer=here.newcomer,
    )


@router.get("/continue/{table}")
async def go_on(here: AskedOf, table: str) -> Response:
    """Back to a seat that this device's key has taken, on whatever device that was."""
    server = here.server
    held = await server.games.seat_at(here.device, table) if here.device else None
    if held is None:
        raise UnknownTableError(
            "none of your games is at this table: those that you can continue are in the lobby"
        )
    room = await server.rooms.load(table, here.client)
    if not seated(room.state, *held):
        raise NotYoursError("you have left this table: watch it at /table/{table}", table=table)
    return await here.sit(room, server.rooms.token(room, held[0]))


@router.get("/share")
async def share(here: AskedOf) -> PlainTextResponse:
    """Where others reach this server, for the links that people copy; empty if they cannot."""
    address = here.shared_address or ""
    return PlainTextResponse(address, headers={"cache-control": "no-store"})


@router.get("/offline")
async def offline() -> HTMLResponse:
    """What an installed app shows without a connection; nothing in it is personal."""
    return HTMLResponse(render("offline.html"), headers={"cache-control": "no-cache"})


@router.get("/lobby/tables")
async def lobby_tables(here: AskedOf) -> HTMLResponse:
    """The list of open tables."""
    return page("tables.html", tables=await _tables(here.server))


class _Plan:
    """The fields of the forms that open a table."""

    def __init__(
        self,
        scoring: Annotated[str, Form()] = DEFAULT_LAWS,
        deals: Annotated[int | None, Form()] = None,
        no_doubles: Annotated[bool, Form()] = False,
        no_hints: Annotated[bool, Form()] = False,
        name: Annotated[str, Form()] = "",
        strategy: Annotated[str, Form()] = "",
        other: Annotated[str, Form()] = "",
    ) -> None:
        self.match = MatchPlan(deals=deals, doubles=not no_doubles, hints=not no_hints)
        if scoring in all_laws():  # a rubber takes as many deals as it takes
            self.match = replace(self.match, laws=scoring, deals=None)
        else:
            self.match = replace(self.match, scheme=scoring)
        self.name = clean_name(name, _YOU)
        self.strategy = other.strip() or strategy or default_level().strategy
        fields = {"strategy": strategy, "other": other.strip(), "scoring": scoring}
        ticks = {"no_doubles": no_doubles, "no_hints": no_hints}
        settings = fields | {"deals": deals or ""} | {tick: 1 for tick, on in ticks.items() if on}
        self.kept = urlencode({name: text for name, text in settings.items() if text})
        """The settings as a browser keeps them."""


PlanOf = Annotated[_Plan, Depends()]


async def _open(
    here: Asked,
    plan: _Plan,
    *,
    sits: bool = True,
    free: bool = False,
    options: Options | None = None,
) -> Response:
    """Open a table, at which the visitor may take a seat, and go there."""
    places = [Place("", strategy, open=free) for strategy in seated_bots(plan.strategy)]
    if sits:
        places[_YOU] = replace(places[_YOU], name=plan.name, person=True, open=False)
    rooms = here.server.rooms
    room = await rooms.open(plan.match, places, here.client, options=options)
    if not sits:
        return here.go(f"/table/{room.name}")
    response = await here.sit(room, rooms.token(room, _YOU), name=plan.name)
    keep(response, _LAST, plan.kept, 365)
    return response


async def play_from(
    here: Asked, record: Record, seat: Seat, strategies: Sequence[str], name: str = ""
) -> Response:
    """A table that goes on from a record, with the visitor in a seat and bots in the others."""
    plan = MatchPlan(
        record.seed,
        record.number or 0,
        deals=1,
        scheme=record.scheme or "auction",
        doubles=record.doubles,
        deck=str(record.deal.deck),
        dealer=record.dealer.index,
    )
    if record.rubber is not None:
        plan = replace(plan, laws=laws_text(record.rubber.laws), **record.rubber.standing._asdict())
    places = [Place("", strategy) for strategy in strategies]
    own = name or clean_name(here.name, seat)
    places[seat] = replace(places[seat], name=own, person=True)
    rooms, actions = here.server.rooms, [action_name(action) for action in record.actions]
    opened = await rooms.open(plan, places, here.client, actions=actions)
    return await here.sit(opened, rooms.token(opened, seat))


@router.post("/play", dependencies=[Depends(pay_for_table)])
async def play(here: AskedOf, plan: PlanOf) -> Response:
    """One click to a game against two strategies."""
    response = await _open(here, plan)
    if plan.match.laws is not None or plan.match.doubles:
        knows_rules(response)
    return response


@router.post("/open", dependencies=[Depends(pay_for_table)])
async def open_for_friends(
    here: AskedOf,
    plan: PlanOf,
    turn_seconds: Annotated[int, Form()] = 0,
    chat: Annotated[str, Form()] = CHAT_RULES[0],
    onlooker_chat: Annotated[bool, Form()] = False,
    no_hold: Annotated[bool, Form()] = False,
    listed: Annotated[bool, Form()] = False,
) -> Response:
    """Open a table for friends: the visitor takes a seat and hosts, the others stay open."""
    options = Options(
        waits=True,
        hold=not no_hold,
        turn_seconds=turn_seconds or None,
        chat=chat,
        onlooker_chat=onlooker_chat,
        listed=listed,
    )
    return await _open(here, plan, free=True, options=options)


@router.post("/open/again", dependencies=[Depends(pay_for_table)])
async def open_again(here: AskedOf) -> Response:
    """A table for friends with the name and the settings of the visitor's last one."""
    last = _for_friends(here)
    plan = _Plan(
        last.scoring,
        last.deals,
        last.no_doubles,
        last.no_hints,
        here.name,
        last.strategy,
        last.other,
    )
    return await _open(here, plan, free=True, options=Options(waits=True))


@router.post("/anyone", dependencies=[Depends(pay_for_table)])
async def anyone(here: AskedOf) -> Response:
    """A seat among whoever else is looking for a game; bots fill in if nobody comes."""

    def called(seat: Seat) -> str:
        return clean_name(here.name, seat)

    rooms, strategy = here.server.rooms, default_level().strategy
    room, seat = await rooms.pair(called, here.client, strategy)
    token = rooms.token(room, seat)
    return await here.sit(room, token, name=called(seat))


@router.get("/join")
async def join(here: AskedOf, code: str = "") -> Response:
    """The table with a code that somebody told."""
    here.pay(CODE_COST, mark("too many codes tried at once: wait a moment"))
    try:
        room = await here.server.rooms.joined(code)
    except UnknownTableError as error:
        if not here.for_reading:
            raise
        here.server.answers.refusals[error.reason] += 1
        again = page("join.html", text=error.text, typed=code)
        again.status_code = error.status
        return again
    return here.go(f"/table/{room.name}")


@router.post("/watch", dependencies=[Depends(pay_for_table)])
async def watch(here: AskedOf, plan: PlanOf) -> Response:
    """Open a table of three strategies to watch; nobody's name is at it."""
    return await _open(here, plan, sits=False, options=Options(listed=True))


@value
class StrategyList:
    """The strategies that may sit at a table."""

    default: str
    levels: tuple[Level, ...]
    strategies: tuple[Entry, ...]
    """By name, with the parameters that can follow it: `sampling:layouts=50`."""


@value
class Scoring:
    """A scoring scheme."""

    name: str
    note: str


@value
class RubberLaws(Scoring):
    """The laws of a rubber."""

    game: int
    """Points below the line that make a game."""


@api.get("/strategies")
async def list_strategies() -> StrategyList:
    """The strategies that may sit at a table, and the levels that the lobby offers."""
    default = default_level().strategy
    return StrategyList(default=default, levels=levels(), strategies=choices())


@api.get("/schemes")
async def list_schemes() -> list[Scoring]:
    """The scoring schemes."""
    return [filled(Scoring, scheme) for scheme in schemes().values()]


@api.get("/laws")
async def list_laws() -> list[RubberLaws]:
    """The laws under which rubbers can be played."""
    return [filled(RubberLaws, laws) for laws in all_laws().values()]


@api.get("/tables")
async def list_tables(here: AskedOf) -> list[TableSummary]:
    """The unfinished tables that were opened with `listed`, most recent events first."""
    return list(await _tables(here.server))


@sent
class NewTable:
    """The settings of a new table."""

    strategies: Annotated[list[str], Field(min_length=3, max_length=3)] | None = None
    """Strategies for North, East and South, used where no person plays; by default those of the
    default level."""
    open: tuple[str, ...] = ("S",)
    """Seats that people (or programs) may take: N, E, S. Without any, three strategies play and the
    match starts at once."""
    deals: Annotated[int, Field(ge=1, le=MOST_DEALS)] | None = None
    """How many deals: by default 4; of a rubber, at most so many."""
    scheme: str = "auction"
    """A scoring scheme, from `/api/schemes`."""
    laws: str | None = None
    """Play a rubber under these laws, from `/api/laws`, in place of the scheme."""
    doubles: bool | None = None
    """Whether players may double; by default in rubbers only."""
    seed: Annotated[int, Field(ge=0, lt=_SEEDS)] | None = None
    """Fixes the cards (the table then says so). By default they are random."""
    first: Annotated[int, Field(ge=0, lt=_NUMBERS)] = 0
    secret: str | None = None
    """The secret of an earlier match, to replay its deals; also fixes the cards."""
    wait: bool = False
    """Whether the match waits for the host to start it. By default it starts when every open seat
    is taken."""
    hold: bool = True
    """Whether a strategy plays at once for a person who leaves, until they come back. Otherwise the
    table waits for them."""
    turn_seconds: Annotated[int, Field(ge=TURN_SECONDS[0], le=TURN_SECONDS[1])] | None = None
    """The turn timer: when a person's time runs out, a pass or a card is chosen for that turn. By
    default there is none."""
    chat: str = CHAT_RULES[0]
    """What can be written: `free` (phrases and free text), `phrases` or `off`."""
    onlooker_chat: bool = False
    """Whether onlookers can write, too."""
    listed: bool = False
    """Whether the table is in the list of tables, with the names of its players, for anyone to join
    or watch. Otherwise it is found by its name alone."""


@value
class TableName:
    """A table that was opened."""

    table: str
    number: int
    url: str | None
    """The address of the table's page for others; null if they cannot open it."""


@api.post(
    "/tables",
    status_code=201,
    dependencies=[Depends(pay_for_table)],
    responses=refusals(400, 403),
)
async def open_table(here: AskedOf, new: NewTable) -> TableName:
    """Open a table. It starts when every open seat is taken, or when the host starts it."""
    free = {Seat(text) for text in new.open}
    strategies = new.strategies or [default_level().strategy] * 3
    places = [
        Place("", strategy, open=seat in free)
        for seat, strategy in zip(Seat, strategies, strict=True)
    ]
    doubles = new.laws is not None if new.doubles is None else new.doubles
    plan = filled(MatchPlan, new, doubles=doubles)
    options = filled(Options, new, waits=new.wait)
    room = await here.server.rooms.open(plan, places, here.client, options=options)
    url = here.link(f"/table/{room.name}")
    return TableName(table=room.name, number=room.state.number, url=url)
