"""The score sheet of a rubber: above and below the line, as it is printed."""

from __future__ import annotations

from itertools import combinations

from fastapi import APIRouter
from fastapi.responses import HTMLResponse, Response

from tribridge.deals import Seat
from tribridge.game import Rubber
from tribridge.game.record import rubbers as record_rubber
from tribridge.game.rubber import rows_above, rows_below
from tribridge.web.core.matches import rubber_of
from tribridge.web.errors import NotNowError
from tribridge.web.pages.drawing import download, page
from tribridge.web.server.access import Visit, VisitOf, is_part

router = APIRouter(include_in_schema=False)


def payments(rubber: Rubber) -> tuple[tuple[Seat, Seat, int], ...]:
    """Who pays whom how much: each pair settles the difference of its totals.

    >>> from tribridge.game import Contract
    >>> payments(Rubber().add(Contract("3NT", "N"), 9))
    ((Seat.EAST, Seat.NORTH, 30), (Seat.SOUTH, Seat.NORTH, 30))
    """
    totals = rubber.totals()
    pairs = (sorted(pair, key=lambda seat: totals[seat]) for pair in combinations(Seat, 2))
    return tuple(
        (less, more, totals[more] - totals[less])
        for less, more in pairs
        if totals[more] > totals[less]
    )


def _rubber(here: Visit) -> Rubber:
    rubber = rubber_of(here.state.match)
    if rubber is None:
        raise NotNowError("this table plays single deals: only a rubber has a score sheet")
    return rubber


@router.get("/table/{table}/sheet")
async def sheet(here: VisitOf) -> HTMLResponse:
    """The score sheet, for the dialog of the table's page or as a page of its own."""
    rubber = _rubber(here)
    return page(
        "sheet.html" if is_part(here.request) else "sheet_page.html",
        s=here.view,
        rubber=rubber,
        above=rows_above(rubber),
        games=rows_below(rubber),
        payments=payments(rubber) if here.state.over else (),
    )


@router.get("/table/{table}/rubber.jsonl")
async def rubber_jsonl(here: VisitOf) -> Response:
    """The rubber as JSON Lines, as `tribridge score` reads it."""
    return download(record_rubber.dumps([_rubber(here)]), "rubber.jsonl")
