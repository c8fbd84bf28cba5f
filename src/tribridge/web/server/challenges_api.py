"""Challenges, for programs."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Header, Request

from tribridge.web.core.keys import new_key
from tribridge.web.core.names import clean_name
from tribridge.web.server.access import RoomOf, ServerOf, client_of, pay_for_table, shared_address
from tribridge.web.server.api import PlayerOf
from tribridge.web.server.bodies import ANYWHERE, CHANGING, refusals
from tribridge.web.server.devices import entrant, sent_key
from tribridge.web.server.together_bodies import (
    ChallengeName,
    ChallengeSeat,
    ChallengeView,
    NewPlayer,
    challenge_view,
)

router = APIRouter(
    prefix="/api",
    tags=["challenges"],
    responses=ANYWHERE,
    generate_unique_id_function=lambda route: route.name,
)

DeviceOf = Annotated[
    str | None,
    Header(
        alias="X-Device-Key",
        description="The key that you were given when you first played a challenge.",
    ),
]


def _checked(key: str | None) -> str | None:
    return None if key is None else sent_key(key)


@router.get("/challenges/daily", responses=refusals(400))
async def daily_challenge(server: ServerOf, device: DeviceOf = None) -> ChallengeView:
    """Today's challenge (the day begins at midnight UTC)."""
    challenge = server.challenges.find(server.challenges.today().isoformat())
    return await challenge_view(server.challenges, challenge, entrant(_checked(device)))


@router.get("/challenges/{challenge}", responses=refusals(400, 404))
async def show_challenge(
    server: ServerOf, challenge: str, device: DeviceOf = None
) -> ChallengeView:
    """A challenge and, once you have finished it, everyone's results."""
    found = server.challenges.find(challenge)
    return await challenge_view(server.challenges, found, entrant(_checked(device)))


@router.post(
    "/challenges/{challenge}/play",
    status_code=201,
    dependencies=[Depends(pay_for_table)],
    responses=refusals(400, 403, 404, 410),
)
async def play_challenge(
    request: Request, server: ServerOf, challenge: str, new: NewPlayer, device: DeviceOf = None
) -> ChallengeSeat:
    """Your table in a challenge: a new one, or the one at which you have begun it."""
    found = server.challenges.find(challenge)
    key = _checked(device) or new_key()
    name = clean_name(new.name, str(found.seat))
    room = await server.challenges.play(found, entrant(key), name, client_of(request))
    token = server.rooms.token(room, found.seat)
    return ChallengeSeat(table=room.name, seat=found.seat.letter, token=token, device=key)


@router.post(
    "/tables/{table}/challenge",
    status_code=201,
    dependencies=[Depends(pay_for_table)],
    responses=CHANGING | refusals(400),
)
async def make_challenge(
    request: Request, room: RoomOf, server: ServerOf, seat: PlayerOf, device: DeviceOf = None
) -> ChallengeName:
    """Challenge others with the deals of a finished match, from your seat."""
    player = entrant(_checked(device)) or f"m:{room.name}"
    challenge = server.challenges.make(room, seat, player)
    shared = shared_address(request, server)
    url = None if shared is None else f"{shared}/challenge/{challenge.id}"
    return ChallengeName(challenge=challenge.id, url=url)
