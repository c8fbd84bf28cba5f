"""The JSON of rubbers: laws, a standing, and the score sheet above and below the line."""

from __future__ import annotations

from pydantic import BaseModel, Field

from tribridge.game import Rubber
from tribridge.game.laws import Laws


class LawsView(BaseModel):
    """The laws of a rubber."""

    name: str
    note: str
    game: int = Field(description="Points below the line that make a game.")


class StandingView(BaseModel):
    """The laws and the standing of a rubber before a deal; lists have North first."""

    laws: str
    below: list[int] = Field(description="Part scores.")
    games: list[int] = Field(description="Games won.")


class EntryView(BaseModel):
    """Points of one player on the score sheet."""

    deal: int = Field(description="Which deal of the rubber, from 1.")
    seat: str
    points: int
    below: bool = Field(description="Whether they stand below the line.")
    reason: str


class RubberSheet(BaseModel):
    """The score sheet of a rubber, and how it stands now; lists have North first."""

    laws: str
    entries: list[EntryView]
    below: list[int] = Field(description="Part scores of the game that goes on.")
    games: list[int] = Field(description="Games won.")
    vulnerable: list[str]
    winner: str | None = Field(description="Who has won two games; null while nobody has.")


def laws_view(laws: Laws) -> LawsView:
    """Laws as the API lists them."""
    return LawsView(name=laws.name, note=laws.note, game=laws.game)


def rubber_sheet(rubber: Rubber) -> RubberSheet:
    """The score sheet of a rubber."""
    below, games = rubber.standing
    return RubberSheet(
        laws=rubber.laws.name,
        entries=[
            EntryView(
                deal=line.deal,
                seat=line.seat.letter,
                points=line.points,
                below=line.below,
                reason=line.reason,
            )
            for line in rubber.lines
        ],
        below=list(below),
        games=list(games),
        vulnerable=[seat.letter for seat in rubber.state.vulnerable],
        winner=None if rubber.winner is None else rubber.winner.letter,
    )
