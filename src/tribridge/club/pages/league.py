"""The league: a week of daily deals against seven rivals, as a table and a curve; for programs."""

from __future__ import annotations

from datetime import date
from itertools import accumulate
from math import ceil
from typing import Final

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from tribridge.club.core.challenges import entrant
from tribridge.club.core.field import leagues
from tribridge.club.core.league import DAYS, MOVING, Line, Standing
from tribridge.club.language import gettext, mark
from tribridge.club.pages.open_hands import Chart, Plot
from tribridge.club.pages.templates import page
from tribridge.club.server.access import AskedOf, KeyedOf
from tribridge.club.server.operations import api_router, refusals
from tribridge.club.view.values import filled, value

router = APIRouter(include_in_schema=False)
api = api_router("league")

NAMES: Final = (mark("Clubs"), mark("Diamonds"), mark("Hearts"), mark("Spades"), mark("Notrump"))
SIGNS: Final = ("♣", "♦", "♥", "♠", "NT")
WEEKDAYS: Final = (mark("Mon"), mark("Tue"), mark("Wed"), mark("Thu"), mark("Fri"))
_WHOLE: Final = 100
_CURVE: Final = 2
"""Days of which there is a curve."""
_INSIDE: Final = 14
"""How far the label of a day stands left of its point: that of the last one has to fit."""


def league_chart(standing: Standing) -> Chart | None:
    """The week of a player, day by day, beside the last rival who goes up; nothing for one day."""
    days = standing.told
    if len(days) < _CURVE:
        return None
    rivals = [line for line in standing.lines if not line.you]
    shown = (standing.own, rivals[MOVING - 1])
    most = max(sum(line.days[at] or 0.0 for at in days) for line in shown)
    top = _WHOLE * max(1, ceil(most / _WHOLE))
    plot = Plot(640, 240, 44, 12, 12, 34, 0, top)

    def points(line: Line) -> list[tuple[float, float]]:
        sums = accumulate(line.days[at] or 0.0 for at in days)
        ends = zip(days, sums, strict=True)
        return [
            (plot.x(days[0] / DAYS), plot.y(0)),
            *((plot.x((at + 1) / DAYS), plot.y(s)) for at, s in ends),
        ]

    own, rising = map(points, shown)
    return Chart(
        plot=plot,
        levels={plot.y(value): f"{value}" for value in range(0, top + 1, _WHOLE)},
        rules=(),
        lines={"rising": rising, "exact": own},
        dots=tuple(("", point) for point in own[1:]),
        labels=tuple(
            (plot.x((at + 1) / DAYS) - _INSIDE, gettext(name)) for at, name in enumerate(WEEKDAYS)
        ),
    )


@router.get("/league")
@router.get("/league/{week}")
async def league(here: AskedOf, week: str | None = None) -> HTMLResponse:
    """A week of the visitor's league: by default the present one."""
    standing = await here.server.leagues.standing(entrant(here.key), week)
    return page(
        "league.html",
        s=standing,
        names=NAMES,
        signs=SIGNS,
        weekdays=WEEKDAYS,
        chart=league_chart(standing),
        moving=MOVING,
        last=len(leagues()) - 1,
        today=here.server.challenges.today(),
    )


@value
class LeagueLine:
    """Your week, or that of a rival."""

    place: int
    name: str
    """Empty for you."""
    you: bool
    days: tuple[float | None, ...]
    """Percentages of the field, Monday first; null for a day that does not count (yet)."""
    total: float
    moves: int
    """Where the place leads at the end of the week: 1 up a league, -1 down, 0 nowhere."""


@value
class LeagueView:
    """A week of your league."""

    week: str
    """As in `2026-W47`."""
    days: tuple[date, ...]
    """The days whose challenges count."""
    league: int
    """From 0, the weakest."""
    name: str
    joined: bool
    """Whether you have played a day of the week."""
    over: bool
    """Whether its days are over."""
    complete: bool
    """Whether the field has played all days that count: nothing changes any more."""
    lines: tuple[LeagueLine, ...]
    """Best first."""


@api.get("/league", responses=refusals(400))
async def this_league(here: KeyedOf) -> LeagueView:
    """Your league this week; without a key, the one that you would join."""
    return await _shown(here)


@api.get("/league/{week}", responses=refusals(400, 404))
async def show_league(here: KeyedOf, week: str) -> LeagueView:
    """Your league in a week."""
    return await _shown(here, week)


async def _shown(here: KeyedOf, week: str | None = None) -> LeagueView:
    standing = await here.server.leagues.standing(entrant(here.key), week)
    lines = (filled(LeagueLine, line, moves=standing.moves(line.place)) for line in standing.lines)
    return filled(LeagueView, standing, name=NAMES[standing.league], lines=tuple(lines))
