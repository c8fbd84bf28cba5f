"""Challenges: the invitation, and the results of everybody on one page; the same for programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from typing import Final

from fastapi import APIRouter, Depends
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from tribridge.cards.cards import Card, Deck
from tribridge.cards.deals import Seat
from tribridge.club.core.bots import bot_name
from tribridge.club.core.challenges import LATELY, Compared, Result, entrant
from tribridge.club.core.field import Difference
from tribridge.club.core.keys import new_key
from tribridge.club.core.names import clean_name
from tribridge.club.pages.open_hands import Chart, Plot
from tribridge.club.pages.templates import page
from tribridge.club.server.access import (
    Asked,
    AskedOf,
    KeyedOf,
    Visit,
    VisitOf,
    keyed,
    knows_rules,
    pay_for_table,
)
from tribridge.club.server.operations import CHANGING, api_router, form, refusals
from tribridge.club.view.table import seat_view
from tribridge.club.view.values import OnPages, Points, filled, sent, value
from tribridge.game import Call, Chair
from tribridge.reviews.values import read_action

router = APIRouter(include_in_schema=False)
api = api_router("challenges")
_CURVE: Final = 2
"""Days of which there is a curve."""


@value
class ResultView:
    """One line of the results."""

    rank: int
    name: str
    scores: tuple[Points, ...]
    """Points of each deal, as text."""
    total: Points
    net: Points
    """The settlement with the two opponents, which decides the rank where there is no field."""
    nets: tuple[Points, ...]
    """The settlement of each deal, as text; empty in a result of an earlier version."""
    bot: bool
    origin: bool
    """Whether it is the match that the challenge was made from."""
    helped: bool
    """Whether they had advice; a claim that the judge refuses counts as such."""
    you: bool
    percent: float | None
    """How much of the field it beats, a tie counting half: the mean of the deals, from 0 to 100.

    It decides the rank of a daily challenge.
    """
    percents: tuple[float, ...]
    """The same on each deal; empty without a field."""


@dataclass(frozen=True, slots=True)
class Auctions:
    """The calls of a deal that two people bid otherwise, and what it brought each."""

    deal: int
    own: tuple[Call, ...]
    other: tuple[Call, ...]
    own_net: Fraction
    other_net: Fraction


@dataclass(frozen=True, slots=True)
class Beside:
    """The deals of two friends that parted in the auction."""

    name: str
    """Of the other."""
    auctions: tuple[Auctions, ...]


@value
class ChallengeView:
    """A challenge. The results are shown once you have finished it, or after its day."""

    challenge: str
    day: date | None
    """The date of a daily challenge."""
    by: str
    """Whose match it was made from; empty for a daily challenge."""
    deals: int
    scheme: str
    known: bool
    """Whether somebody may know the cards in advance."""
    seat: Seat
    strategies: tuple[str, ...]
    players: int
    """How many people have finished it."""
    table: str | None
    """The table at which you play it."""
    finished: bool
    """Whether you have finished it."""
    results: tuple[ResultView, ...] | None
    computing: bool
    """Whether more results of bots will follow."""
    field: int
    """Runs of bots that the percentages count so far."""
    field_wanted: int
    """How many there will be; 0 if the challenge has no field."""
    laws: OnPages[str | None]
    deck: OnPages[Deck]
    playable: OnPages[bool]
    compared: OnPages[tuple[Compared, ...]]
    beside: OnPages[Beside | None]
    """A friend's auctions, where they differ from one's own."""
    seconds: OnPages[float | None]
    """How long the runs that are missing will take; None if it is not known."""


async def _seen(here: Asked, name: str) -> ChallengeView:
    """A challenge as a player sees it."""
    challenges, player = here.server.challenges, entrant(here.key)
    challenge = await challenges.find(name)
    finished = await challenges.finished(challenge.id, player)
    match = seat_view("", challenge.state(), None)
    results, computing, compared, beside = None, False, list[Compared](), None
    table = await challenges.table_of(challenge, player)
    field, wanted = await challenges.field(challenge)
    if challenges.shows(challenge, finished=finished):
        lines, computing = await challenges.results(challenge)
        results = tuple(filled(ResultView, line, you=line.player == player) for line in lines)
        players = sum(not line.bot for line in lines)
        beside = _beside(lines, player) if challenge.day is None else None
        compared = await challenges.compared(challenge, player)
        if table is not None and here.device:
            compared = [
                replace(one, difference=await _said_of(here, table, deal, one.difference))
                for deal, one in enumerate(compared, 1)
            ]
    else:
        players = await challenges.count(challenge)
    return filled(
        ChallengeView,
        challenge,
        match,
        challenge=challenge.id,
        players=players,
        table=table,
        finished=finished,
        results=results,
        computing=computing,
        field=field,
        field_wanted=wanted,
        compared=tuple(compared),
        beside=beside,
        seconds=challenges.seconds_to_go(challenge),
        playable=challenge.day is None or challenge.day == challenges.today(),
    )


def _beside(results: Sequence[Result], player: str) -> Beside | None:
    """One's own auctions beside those of the friend: who made the challenge, or alone took it."""
    people = [result for result in results if not result.bot]
    own = next((result for result in people if result.player == player), None)
    others = [result for result in people if result is not own]
    if own is not None and not own.origin:
        others = [result for result in others if result.origin]
    if own is None or len(others) != 1:
        return None
    (other,) = others
    deals = zip(own.lines, other.lines, own.nets, other.nets, strict=False)
    auctions = tuple(
        Auctions(deal, _calls(mine), _calls(theirs), net, their_net)
        for deal, (mine, theirs, net, their_net) in enumerate(deals, 1)
        if _calls(mine) != _calls(theirs)
    )
    return Beside(other.name, auctions) if auctions else None


def _calls(line: str) -> tuple[Call, ...]:
    """The calls with which the line of a deal begins."""
    actions = map(read_action, line.split())
    return tuple(action for action in actions if not isinstance(action, Card))


async def _said_of(
    here: Asked, table: str, deal: int, parts: Difference | None
) -> Difference | None:
    """What made a deal worse than the best, and what the review says of that, once it is known.

    Of the play, what the review blames; of a call, whether it does.
    """
    if parts is None:
        return None
    if not parts.trick:
        called = await here.server.reviews.judged(table, deal, parts.number)
        return replace(parts, sound=called is not None and called.verdict.right)
    point = await here.server.games.turning_point_at(here.device, table, deal)
    judged = None if point is None else point.judgement
    if point is None or judged is None or not isinstance(judged.action, Card) or not judged.cost:
        return parts
    calls = sum(not isinstance(action, Card) for action in point.played.record.actions)
    card = judged.number - calls
    if card < parts.card:  # the best played it, too
        return parts
    dummy, cost = judged.chair is Chair.DUMMY, int(judged.cost)
    return replace(
        parts, trick=(card + 3) // 4, dummy=dummy, own=judged.action, card=card, cost=cost
    )


def _decimals(results: Sequence[ResultView]) -> int:
    """The fewest decimals of the percentages that tell results of different ranks apart."""
    told = {one.rank: one.percent for one in results if one.percent is not None}
    fewest = (at for at in range(2) if len({f"{p:.{at}f}" for p in told.values()}) == len(told))
    return next(fewest, 2)


def _curve(lately: Sequence[tuple[date, float]]) -> Chart | None:
    """The last dailies of a player, beside half of the field; nothing for a single day."""
    if len(lately) < _CURVE:
        return None
    plot = Plot(640, 180, 64, 24, 12, 34, 0, 100)
    points = [
        (plot.x(at / (len(lately) - 1)), plot.y(percent)) for at, (_, percent) in enumerate(lately)
    ]
    best = max(range(len(lately)), key=lambda at: lately[at][1])
    return Chart(
        plot=plot,
        levels={plot.y(value): f"{value}%" for value in (0, 50, 100)},
        rules=(("zero", plot.across(50)),),
        lines={"exact": points},
        dots=tuple(("best" if at == best else "", point) for at, point in enumerate(points)),
        labels=tuple((x, f"{day.day}") for (x, _), (day, _) in zip(points, lately, strict=True)),
    )


@router.get("/daily")
async def daily(here: AskedOf) -> Response:
    """Today's challenge."""
    return RedirectResponse(f"/challenge/{here.server.challenges.today().isoformat()}", 303)


@router.get("/challenge/{challenge}")
@router.get("/challenge/{challenge}/results")
async def show(here: AskedOf, challenge: str) -> HTMLResponse:
    """A challenge, and its results for those who have finished it: they change as bots play."""
    played = await here.server.challenges.find(challenge)
    places = played.state().places
    opponents = {
        seat: bot_name(places, strategy, seat, one_name=False)
        for seat, strategy in zip(Seat, played.strategies, strict=True)
        if seat is not played.seat
    }
    part = here.request.url.path.endswith("/results")
    seen, lately = await _seen(here, challenge), list[tuple[date, float]]()
    if seen.day is not None and seen.finished and not part:
        lately = await here.server.challenges.lately(entrant(here.key), seen.day)
    return page(
        "challenge_results.html" if part else "challenge.html",
        c=seen,
        decimals=_decimals(seen.results or ()),
        lately=lately,
        chart=_curve(lately),
        most_days=LATELY,
        opponents=opponents,
        today=here.server.challenges.today(),
        name=here.name,
    )


@value
class ChallengeName:
    """A challenge that was made."""

    challenge: str
    url: str | None
    """The address of its page for others; null if they cannot open it."""


@value
class ChallengeSeat:
    """Your seat in a challenge."""

    table: str
    seat: Seat
    token: str
    device: str
    """Send this as `X-Device-Key` from now on."""


@api.get("/challenges/daily", responses=refusals(400))
async def daily_challenge(here: KeyedOf) -> ChallengeView:
    """Today's challenge (the day begins at midnight UTC)."""
    return await _seen(here, here.server.challenges.today().isoformat())


@api.get("/challenges/{challenge}", responses=refusals(400, 404))
async def show_challenge(here: KeyedOf, challenge: str) -> ChallengeView:
    """A challenge and, once you have finished it, everyone's results."""
    return await _seen(here, challenge)


async def _sit(here: Asked, seat: ChallengeSeat) -> Response:
    room = here.server.rooms.find(seat.table)
    name = room.state.places[seat.seat].name
    response = await here.sit(room, seat.token, name=name, key=seat.device)
    knows_rules(response)  # who plays against a field is past the first deal
    return response


@sent
class PlayChallenge:
    """Under what name somebody plays a challenge."""

    name: str = ""


@form(
    router,
    "/challenge/{challenge}/play",
    PlayChallenge,
    named=("challenge",),
    page=_sit,
    dependencies=[Depends(pay_for_table)],
)
@api.post(
    "/challenges/{challenge}/play",
    status_code=201,
    responses=CHANGING,
    dependencies=[Depends(pay_for_table)],
)
async def play_challenge(
    here: KeyedOf, challenge: str, body: PlayChallenge | None = None
) -> ChallengeSeat:
    """Your table in a challenge: a new one, or the one at which you have begun it."""
    challenges = here.server.challenges
    played, key = await challenges.find(challenge), here.key or new_key()
    player = clean_name(body.name if body else "", played.seat)
    room = await challenges.play(played, entrant(key), player, here.client)
    token = here.server.rooms.token(room, played.seat)
    return ChallengeSeat(table=room.name, seat=played.seat, token=token, device=key)


def _made(here: Visit, made: ChallengeName) -> Response:
    return RedirectResponse(f"/challenge/{made.challenge}", 303)


_PAID: Final = [Depends(pay_for_table), Depends(keyed)]


@form(router, "/table/{table}/challenge", page=_made, dependencies=_PAID)
@api.post("/tables/{table}/challenge", status_code=201, responses=CHANGING, dependencies=_PAID)
async def make_challenge(here: VisitOf) -> ChallengeName:
    """Challenge others with the deals of a finished match, from your seat."""
    player = entrant(here.key) or f"m:{here.room.name}"
    made = here.server.challenges.make(here.room.name, here.state, here.player, player)
    challenge = await made
    url = here.link(f"/challenge/{challenge.id}")
    return ChallengeName(challenge=challenge.id, url=url)
