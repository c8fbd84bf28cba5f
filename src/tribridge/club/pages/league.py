"""The league: a week of daily deals against seven rivals, as a table and as a curve."""

from __future__ import annotations

from itertools import accumulate
from typing import Final

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from tribridge.club.core.challenges import entrant
from tribridge.club.core.field import leagues
from tribridge.club.core.league import DAYS, MOVING, Line, Standing
from tribridge.club.language import gettext, mark
from tribridge.club.pages.open_hands import Chart, Plot
from tribridge.club.pages.templates import page
from tribridge.club.server.access import AskedOf

router = APIRouter(include_in_schema=False)

NAMES: Final = (mark("Clubs"), mark("Diamonds"), mark("Hearts"), mark("Spades"), mark("Notrump"))
SIGNS: Final = ("♣", "♦", "♥", "♠", "NT")
WEEKDAYS: Final = (mark("Mon"), mark("Tue"), mark("Wed"), mark("Thu"), mark("Fri"))
_WHOLE: Final = 100
_INSIDE: Final = 14
"""How far the label of a day stands left of its point: that of the last one has to fit."""


def league_chart(standing: Standing) -> Chart | None:
    """The week of a player, day by day, between the best rival and the last who goes up."""
    days = [at for at in range(DAYS) if standing.own.days[at] is not None]
    if not days:
        return None
    rivals = [line for line in standing.lines if not line.you]
    top = _WHOLE * DAYS
    plot = Plot(640, 240, 44, 12, 12, 34, 0, top)

    def points(line: Line) -> list[tuple[float, float]]:
        sums = accumulate(line.days[at] or 0.0 for at in days)
        ends = zip(days, sums, strict=True)
        return [(plot.x(0), plot.y(0)), *((plot.x((at + 1) / DAYS), plot.y(s)) for at, s in ends)]

    own = points(standing.own)
    return Chart(
        plot=plot,
        levels={plot.y(value): f"{value}" for value in range(0, top + 1, _WHOLE)},
        rules=(),
        lines={"first": points(rivals[0]), "rising": points(rivals[MOVING - 1]), "exact": own},
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
