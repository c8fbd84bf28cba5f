"""Rematches: the same people at a new table, in the same seats, with new deals."""

from __future__ import annotations

from typing import Any, Final

from tribridge.deals import Seat
from tribridge.web.core.room import Room
from tribridge.web.core.rooms import MatchPlan, Rooms
from tribridge.web.core.state import Place
from tribridge.web.errors import NotNowError
from tribridge.web.language import Text

_CARDS: Final = frozenset({"seed", "first", "secret", "known"})
"""What decides the cards in the match of an opened event."""


async def rematch(rooms: Rooms, room: Room, seat: Seat, client: str) -> None:
    """A person would like to play again; it begins when all agree, or at the host's word."""
    async with room.moving:
        if room.state.company.rematch_table is not None:
            return
        state = room.state
        if seat not in state.company.rematch:
            state = await rooms.add(room, {"kind": "rematch", "seat": seat.letter})
        if set(state.people) <= state.company.rematch:
            await _move(rooms, room, client)


async def rematch_now(rooms: Rooms, room: Room, seat: Seat, client: str) -> None:
    """The host begins the rematch; bots play for those who have not agreed until they come."""
    host = room.state.company.host
    if seat is not host:
        name = Text("nobody") if host is None else room.state.places[host].name
        raise NotNowError("only the host ({name}) can begin before everyone has agreed", name=name)
    await rematch(rooms, room, seat, client)
    async with room.moving:
        if room.state.company.rematch_table is None:
            await _move(rooms, room, client)


async def _move(rooms: Rooms, room: Room, client: str) -> None:
    state, old = room.state, room.state.match
    places: list[dict[str, Any]] = [
        {
            "name": place.name if place.person or place.away else "",
            "strategy": place.strategy,
            "person": one in state.company.rematch,
            "away": (place.person or place.away) and one not in state.company.rematch,
        }
        for one, place in zip(Seat, state.places, strict=True)
    ]
    opened = rooms.store.events(room.name, most=1)[0]["match"]
    fresh = rooms.seeded(MatchPlan(deals=old.deals, deck=str(old.deck))).checked()
    kept = {key: value for key, value in opened.items() if key not in _CARDS}
    cards = {key: value for key, value in fresh.items() if key in _CARDS}
    dealer = {"dealer": (old.first_dealer + len(old.outcomes)) % 3}
    following = await rooms.open(
        MatchPlan(), places, client, options=state.options, match=kept | dealer | cards
    )
    await rooms.add(room, {"kind": "moved", "table": following.name})


async def follow(rooms: Rooms, room: Room, seat: Seat) -> tuple[Room, str]:
    """The table of the rematch and the token of a seat there; whoever comes is no longer away."""
    name = room.state.company.rematch_table
    if name is None:
        raise NotNowError("the rematch has not begun")
    following = await rooms.load(name)
    place: Place = following.state.places[seat]
    if not (place.person or place.away) or place.serial != 1:
        raise NotNowError(
            "your seat at the rematch has been given up: {name} plays there", name=place.name
        )
    if place.away and not following.state.over:
        await rooms.back(following, seat)
    return following, rooms.token(following, seat)
