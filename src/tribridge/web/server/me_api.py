"""A player's own games for programs: history, statistics, export and import.

The bearer token of these operations is the player's key; there are no accounts.
"""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Depends
from fastapi.requests import Request
from pydantic import BaseModel, Field

from tribridge import codec
from tribridge.game import points_name
from tribridge.game.view_json import contract_text
from tribridge.history import dumps
from tribridge.web.core.games import Game
from tribridge.web.core.keys import device_of_key, new_key, read_key
from tribridge.web.errors import NotYoursError
from tribridge.web.pages.me import exported, forget_games, import_games, pay_for_import
from tribridge.web.server.access import ServerOf, client_of
from tribridge.web.server.api import Bearer
from tribridge.web.server.bodies import ANYWHERE, Strict, refusals

_WITH_A_KEY = refusals(403)
_GAMES_AT_ONCE = 50

router = APIRouter(
    prefix="/api/me",
    tags=["my games"],
    responses=ANYWHERE,
    generate_unique_id_function=lambda route: route.name,
)


async def _device(bearer: Bearer) -> str:
    if bearer is None:
        raise NotYoursError("your key is missing: send it as the bearer token")
    return device_of_key(read_key(bearer.credentials))


DeviceOf = Annotated[str, Depends(_device)]


class PlayerKey(BaseModel):
    """A key: who has it has the games that are added to it. Keep it secret."""

    key: str


class NewGame(Strict):
    """A seat that you hold at a table."""

    table: str = Field(max_length=32)
    token: str = Field(max_length=200, description="The token of the seat.")


class PlayedDealView(BaseModel):
    """A finished deal of yours."""

    deal: int = Field(description="Its place in the match, from 1.")
    contract: str | None
    declarer: str | None
    tricks: int = Field(description="Tricks won by the declarer's side.")
    claimed: bool
    settlement: str | None = Field(description="What you receive; null if it is not known.")
    unaided: bool = Field(description="Without advice, undo or cards known in advance.")
    review: str | None = Field(description="The page of its review; null if it is elsewhere.")


class GameView(BaseModel):
    """A match of yours, as far as it has been played."""

    table: str
    date: str = Field(description="When it began, in UTC.")
    seat: str
    names: list[str] = Field(description="North, East and South.")
    strategies: list[str | None] = Field(description="Null for a person.")
    scoring: str
    over: bool
    imported: bool
    settlement: str | None
    deals: list[PlayedDealView]


class GameList(BaseModel):
    """Some of your games, the newest first."""

    games: list[GameView]
    before: str | None = Field(
        description="Ask again with this `before` for the next ones; null if there are none."
    )


class MeanView(BaseModel):
    """A mean over deals, with a 95% interval; null where there are too few."""

    deals: int
    estimate: float | None
    low: float | None
    high: float | None


class SituationView(MeanView):
    """Deals of one kind."""

    group: str
    name: str
    unit: str
    finding: str = Field(
        description="`better than your other deals`, `worse than your other deals`, "
        "`no clear difference` or `too few deals to tell`."
    )


class BlockView(BaseModel):
    """Consecutive deals, numbered from 1 over your whole history."""

    first: int
    last: int
    date: str
    settlement: MeanView
    against_possible: MeanView
    made: MeanView


class ReviewTotals(BaseModel):
    """What the reviews of your deals add up to."""

    deals: int
    calls: int
    wrong_calls: int
    cards: int
    wrong_cards: int
    lost_tricks: float


class RungView(BaseModel):
    """A bot on the ladder, in settlement points per deal."""

    strategy: str
    rating: float
    error: float = Field(description="The standard error; 0 for the bot that is rated 0.")
    deals: int = Field(description="The deals or rubbers that it was rated by.")


class RatingView(BaseModel):
    """Your rating in settlement points per deal, with a 95% interval."""

    scoring: str = Field(description="How its deals were scored.")
    deals: int
    estimate: float
    low: float
    high: float
    nearest: str | None = Field(description="Null with too few deals.")
    possible: list[str]
    too_few: bool
    ladder: list[RungView]


class StatsView(BaseModel):
    """Your statistics."""

    deals: int
    matches: int
    made: MeanView = Field(description="The share of contracts made, of those you declared.")
    forecast_chance: float | None = Field(description="The share that the forecasts promised.")
    against_forecast: MeanView = Field(description="Tricks of your side above the forecast.")
    against_possible: MeanView = Field(description="Tricks of your side above double dummy.")
    settlement: MeanView = Field(description="Settlement points per deal.")
    situations: list[SituationView]
    progress: list[BlockView]
    reviews: ReviewTotals
    rating: RatingView = Field(description="By the way of scoring with the most rated deals.")
    other_ratings: list[RatingView]


class GameFile(Strict):
    """Games as JSON Lines, as `tribridge stats` and My games read and write them."""

    games: str


class Imported(BaseModel):
    """What an import added."""

    deals: int = Field(description="New deals; those that were there already are left out.")


class Deleted(BaseModel):
    """What was deleted."""

    games: int


@router.post("/key", status_code=201)
async def new_player_key() -> PlayerKey:
    """A new key. Nothing is stored until a game is added to it."""
    return PlayerKey(key=new_key())


@router.get("/games", responses=_WITH_A_KEY | refusals(400))
async def list_games(server: ServerOf, device: DeviceOf, before: str = "") -> GameList:
    """Your games with at least one finished deal, 50 at a time."""
    page = server.histories.games.page
    games, following = await asyncio.to_thread(page, device, before, _GAMES_AT_ONCE)
    return GameList(games=[_view(game) for game in games], before=following)


@router.post("/games", status_code=201, responses=_WITH_A_KEY | refusals(404, 410))
async def add_game(server: ServerOf, device: DeviceOf, new: NewGame) -> GameList:
    """Add a table at which you hold a seat; its deals are listed as they end."""
    room = await server.rooms.load(new.table)
    seat = server.rooms.seat_of(room, new.token)
    if seat is None:
        raise NotYoursError("you are not seated at this table")
    server.histories.games.add(device, room.name, seat, room.state.places[seat].serial)
    return await list_games(server, device)


@router.get("/stats", responses=_WITH_A_KEY)
async def game_stats(request: Request, server: ServerOf, device: DeviceOf) -> StatsView:
    """Your statistics and rating, each mean with its number of deals and an interval."""
    stats = await server.histories.stats(client_of(request), device)
    return StatsView(**codec.plain(stats, digits=3))


@router.get("/export", responses=_WITH_A_KEY)
async def export_games(server: ServerOf, device: DeviceOf) -> GameFile:
    """All your games, to keep or to import elsewhere."""
    return GameFile(games=await exported(server, device, dumps))


@router.post("/import", responses=_WITH_A_KEY, dependencies=[Depends(pay_for_import)])
async def import_game_file(
    request: Request, server: ServerOf, device: DeviceOf, file: GameFile
) -> Imported:
    """Add games from an export; those that are there already are left out."""
    return Imported(deals=await import_games(server, client_of(request), device, file.games))


@router.delete("", responses=_WITH_A_KEY)
async def delete_history(server: ServerOf, device: DeviceOf) -> Deleted:
    """Delete your history, and the finished tables at which no other person sat."""
    games = await asyncio.to_thread(lambda: sum(1 for _ in server.histories.games.of(device)))
    await forget_games(server, device)
    return Deleted(games=games)


def _view(game: Game) -> GameView:
    return GameView(
        table=game.table,
        date=game.date,
        seat=game.seat.letter,
        names=list(game.names),
        strategies=list(game.strategies),
        scoring=game.scoring,
        over=game.over,
        imported=game.imported,
        settlement=None if game.net is None else points_name(game.net),
        deals=[
            PlayedDealView(
                deal=deal.deal,
                contract=contract_text(deal.contract),
                declarer=None if deal.contract is None else deal.contract.declarer.letter,
                tricks=deal.outcome.tricks,
                claimed=deal.claimed is not None,
                settlement=None if deal.net is None else points_name(deal.net),
                unaided=deal.unaided,
                review=f"/table/{game.table}/review/{deal.deal}" if game.here else None,
            )
            for deal in game.deals
        ],
    )
