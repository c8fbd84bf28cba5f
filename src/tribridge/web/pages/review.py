"""Review of a finished deal: what each card cost, and what the paper predicted."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, Response

from tribridge.capture import Conditions, Result, algorithm1, algorithm2
from tribridge.cards import Card, Hand, parse_card
from tribridge.deals import HIDDEN, Deal
from tribridge.formats import lin
from tribridge.game import Chair, Record, Table, record
from tribridge.game.record_pbn import dumps_pbn
from tribridge.game.tricks import chair_hands
from tribridge.web.errors import UnknownTableError
from tribridge.web.pages.public import public
from tribridge.web.pages.table_page import sorted_cards
from tribridge.web.server.access import RoomOf, Server, ServerOf, client_of, page
from tribridge.web.table import thinking
from tribridge.web.table.room import Room
from tribridge.web.table.state import Finished, Place
from tribridge.web.table.workers import FailedError, OutOfTimeError

router = APIRouter(include_in_schema=False)

_SECONDS: Final = 60.0
_SPOTS: Final = ("bottom", "left", "top", "right")

Truth = list[dict[str, int]]
"""For each card played, the declarer's double-dummy tricks after every legal alternative."""


@dataclass(frozen=True, slots=True)
class Played:
    """One card of the play and what it cost."""

    number: int
    """Counted from 1 over the whole play."""
    card: Card
    chair: Chair
    who: str
    winner: bool
    value: int | None
    """The declarer's final tricks with best play from here; None if not computed."""
    cost: int
    """Tricks it gave away."""
    better: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Prediction:
    """Predictions of Algorithm 2 for declarer and dummy and of Algorithm 1 for declarer alone."""

    two: Result
    one: Result

    @staticmethod
    def words(result: Result) -> str:
        """The verdict in a few words."""
        if result.outcome is Conditions.BOTH_HOLD:
            return f"{result.captures} captures"
        return f"no prediction: condition {result.outcome.value}"


def _finished(room: Room, deal: int) -> Finished:
    if not 1 <= deal <= len(room.state.finished):
        raise UnknownTableError("that deal has not been finished at this table")
    return room.state.finished[deal - 1]


def _record(room: Room, deal: int) -> Record:
    """A finished deal's record; it names the seed only once all deals of that seed are over."""
    record, seed = _finished(room, deal).record, room.state.match.seed
    if isinstance(seed, tuple):
        return replace(record, seed=seed[deal - 1])
    return replace(record, seed=seed) if room.state.over else record


async def _truth(server: Server, client: str, room: Room, deal: int) -> Truth | None:
    """The double-dummy analysis of a deal, computed once; None if it failed."""
    kept: Truth | None = server.rooms.store.review(room.name, deal)
    if kept is not None:
        return kept
    key = (room.name, deal)
    task = server.reviews.get(key)
    if task is None:
        record = _finished(room, deal).record
        task = asyncio.ensure_future(
            server.rooms.workers.ask(client, room.name, _SECONDS, thinking.truth, record)
        )
        server.reviews[key] = task
    try:
        truth = await asyncio.shield(task)
    except (FailedError, OutOfTimeError):
        return None
    finally:
        if task.done():
            server.reviews.pop(key, None)
    server.rooms.store.keep_review(room.name, deal, truth)
    return truth


def plays(table: Table, names: list[str], truth: Truth | None) -> list[Played]:
    """The cards of a deal in order, each with its double-dummy cost where it is known."""
    play, contract = table.position, table.contract
    if play is None or contract is None:
        return []
    played: list[Played] = []
    tricks = [(t.leader, t.cards, t.winner) for t in play.tricks]
    rest: list[tuple[Chair, tuple[Card, ...], Chair | None]] = [*tricks]
    if play.trick:
        rest.append((play.leader, play.trick, None))
    for leader, cards, winner in rest:
        for at, card in enumerate(cards):
            chair = Chair((leader + at) % 4)
            who = "Dummy" if chair is Chair.DUMMY else names[chair.player(contract.declarer)]
            value, cost, better = _worth(truth, len(played), card, chair)
            played.append(
                Played(
                    number=len(played) + 1,
                    card=card,
                    chair=chair,
                    who=who,
                    winner=chair is winner,
                    value=value,
                    cost=cost,
                    better=better,
                )
            )
    return played


def _worth(
    truth: Truth | None, at: int, card: Card, chair: Chair
) -> tuple[int | None, int, tuple[Card, ...]]:
    if truth is None or at >= len(truth):
        return None, 0, ()
    values = {parse_card(name): value for name, value in truth[at].items()}
    best = max(values.values()) if chair.declaring else min(values.values())
    cost = abs(best - values[card])
    better = tuple(sorted(c for c, v in values.items() if v == best)) if cost else ()
    return values[card], cost, better


def _hands(
    deal: Deal, table: Table, played: list[Played], places: tuple[Place, ...]
) -> list[dict[str, Any]]:
    """The four hands around the table after some cards, the declarer at the bottom."""
    contract = table.contract
    gone = {one.card for one in played}
    trump = None if contract is None else contract.bid.strain.trump
    hands = []
    for at, spot in enumerate(_SPOTS):
        if contract is None:
            seat = (2, 0, HIDDEN, 1)[at]
            mask = deal.hands[seat].mask
            name = "Hidden hand" if seat == HIDDEN else places[seat].name
        else:
            chair = Chair(at)
            mask = chair_hands(deal, contract.declarer)[at]
            name = "Dummy" if chair is Chair.DUMMY else places[chair.player(contract.declarer)].name
        cards = sorted_cards(Hand(mask), trump)
        hands.append(
            {
                "spot": spot,
                "name": name,
                "cards": [c for c in cards if c not in gone],
                "declarer": contract is not None and at == 0,
            }
        )
    return hands


def _context(room: Room, deal: int, step: int, truth: Truth | None) -> dict[str, Any]:
    done = _finished(room, deal)
    table = done.record.replay()
    places = room.state.places
    all_played = plays(table, [place.name for place in places], truth)
    step = max(0, min(step, len(all_played)))
    shown = all_played[:step]
    trick = shown[(step - 1) // 4 * 4 :] if step else []
    contract = done.outcome.contract
    prediction = None
    if contract is not None:
        hands = done.record.deal.hands
        prediction = Prediction(
            algorithm2(hands[contract.declarer], hands[HIDDEN], done.record.deal.deck),
            algorithm1(hands[contract.declarer], done.record.deal.deck),
        )
    best = None
    if truth:
        best = min(truth[0].values())
    return {
        "p": public(room.name, room.state),
        "deal": deal,
        "done": done,
        "table": table,
        "places": places,
        "line": room.state.match.sheet()[deal - 1],
        "plays": all_played,
        "tricks": [all_played[at : at + 4] for at in range(0, len(all_played), 4)],
        "step": step,
        "steps": len(all_played),
        "hands": _hands(done.record.deal, table, shown, places),
        "trick": {_SPOTS[one.chair]: one for one in trick},
        "now": shown[-1] if shown else None,
        "truth": truth,
        "best": best,
        "faults": [one for one in all_played if one.cost],
        "prediction": prediction,
        "link": lin.link_of(done.record.deal) if done.record.deal.deck.size == 52 else None,
    }


Step = Annotated[int, Query(ge=0, le=52)]


@router.get("/table/{table}/review/{deal}")
async def review(room: RoomOf, server: ServerOf, deal: int, step: Step = 0) -> HTMLResponse:
    """The page; the slow analysis is loaded afterwards."""
    _finished(room, deal)
    truth = server.rooms.store.review(room.name, deal)
    return page("review.html", **_context(room, deal, step, truth), waiting=truth is None)


@router.get("/table/{table}/review/{deal}/board")
async def review_board(
    request: Request, room: RoomOf, server: ServerOf, deal: int, step: Step = 0
) -> HTMLResponse:
    """The part of the page that changes with the step, with the double-dummy analysis."""
    _finished(room, deal)
    truth = await _truth(server, client_of(request), room, deal)
    return page("review_board.html", **_context(room, deal, step, truth), waiting=False)


def _download(text: str, name: str, kind: str) -> Response:
    headers = {"content-disposition": f'attachment; filename="{name}"', "cache-control": "no-store"}
    return Response(text, media_type=kind, headers=headers)


@router.get("/table/{table}/review/{deal}/deal.pbn")
async def deal_pbn(room: RoomOf, deal: int) -> Response:
    """The deal as PBN."""
    return _download(dumps_pbn([_record(room, deal)]), f"deal-{deal}.pbn", "application/x-pbn")


@router.get("/table/{table}/review/{deal}/deal.jsonl")
async def deal_jsonl(room: RoomOf, deal: int) -> Response:
    """The deal as JSON Lines."""
    text = record.dumps([_record(room, deal)])
    return _download(text, f"deal-{deal}.jsonl", "application/jsonl")


@router.get("/table/{table}/match.jsonl")
async def match_jsonl(room: RoomOf) -> Response:
    """All finished deals, as JSON Lines."""
    deals = [_record(room, at) for at in range(1, len(room.state.finished) + 1)]
    return _download(record.dumps(deals), "match.jsonl", "application/jsonl")


@router.get("/table/{table}/match.pbn")
async def match_pbn(room: RoomOf) -> Response:
    """All finished deals, as PBN."""
    deals = [_record(room, at) for at in range(1, len(room.state.finished) + 1)]
    return _download(dumps_pbn(deals), "match.pbn", "application/x-pbn")
