"""The ladder of the bots: what each wins per deal, in settlement points, against two of rating 0.

There is one ladder for each way of scoring that is rated (`Scoring`), since points are worth
different things. Each was computed from the arena matches that ship with the package (`make
results`): a rating is twice the mean difference from the anchor at the same table, since a
settlement adds the differences from both opponents.

A deal of a rubber is worth its settlement and the change in what the standing is worth
(`game.rubber_worth`), without honours, which are luck. Over a rubber these add up to its
settlement without honours, whatever the standings are taken to be worth, so that a deal is judged
by what it did for the rubber and the mean stays right.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Final

from tribridge.cards.cards import FULL_DECK, Deck
from tribridge.club.history.played import PlayedDeal
from tribridge.common import codec
from tribridge.game.auction import Outcome
from tribridge.game.laws import Laws, find_laws
from tribridge.game.record import Record
from tribridge.game.rubber_worth import Settled, deal_worth
from tribridge.game.scoring import Scheme, find_scheme, recorded_scheme, settle
from tribridge.game.standing import RubberState

ANCHOR: Final = "points+maxims"
_NOTHING: Final = (0.0, 0.0, 0.0)


class Scoring(StrEnum):
    """The ways of scoring that have a ladder."""

    RUBBER = "auction-rubber"
    """Rubbers by these laws, with doubles: what a table plays unless told otherwise."""
    DEALS = "auction"
    """Single deals, without doubles."""

    @property
    def unit(self) -> str:
        """What the bots played: deals with the same number are the same cards."""
        return "rubbers" if self is Scoring.RUBBER else "deals"

    @property
    def words(self) -> str:
        doubles = "with" if self is Scoring.RUBBER else "without"
        return f"{self.value}, {doubles} doubles"


@dataclass(frozen=True, slots=True)
class Rung:
    """A bot on the ladder."""

    strategy: str
    """Without the settings that only limit its search."""
    rating: float
    error: float
    """The standard error; 0 for the anchor."""
    deals: int
    """How many different deals (or rubbers) it was rated by, each in several seatings."""


@dataclass(frozen=True, slots=True)
class Ladder:
    """The bots, weakest first, and the spread of one deal in their games."""

    rungs: tuple[Rung, ...]
    spread: float
    scoring: Scoring = Scoring.DEALS

    def find(self, strategy: str | None) -> Rung | None:
        """The rung of a strategy; None if it is not on the ladder."""
        return next((rung for rung in self.rungs if rung.strategy == strategy), None)


@cache
def ladder(scoring: Scoring = Scoring.RUBBER) -> Ladder:
    """A ladder of the package."""
    text = (
        resources.files("tribridge.club.history").joinpath("data/ladders.json").read_text("utf-8")
    )
    ladders = codec.loads(text, tuple[Ladder, ...], "the package's ladders")
    return next(each for each in ladders if each.scoring is scoring)


def scoring_of(record: Record) -> Scoring | None:
    """The ladder that a deal can be rated on, if there is one."""
    if record.vulnerable and record.rubber is None:
        return None
    laws = None if record.rubber is None else record.rubber.laws
    scheme = recorded_scheme(record.scheme)
    return scored_as(laws, scheme, record.doubles, record.deal.deck)


def worth_of(deal: PlayedDeal) -> Settled | None:
    """What a deal was worth to each of the three, in settlement points."""
    rubber = deal.record.rubber
    if rubber is not None:
        return rubber_worth(rubber, deal.outcome)
    points = deal.points
    if points is None:
        return None
    north, east, south = map(float, settle(points))
    return north, east, south


def rubber_worth(state: RubberState, outcome: Outcome) -> Settled:
    """What a deal of a rubber was worth to the three, from the standing before it."""
    contract = outcome.contract
    return _NOTHING if contract is None else deal_worth(state, contract, outcome.tricks)


def scored_as(
    laws: Laws | None, scheme: Scheme | None, doubles: bool, deck: Deck
) -> Scoring | None:
    """The ladder of a way of scoring: rubbers with doubles, or single deals without."""
    if deck != FULL_DECK or doubles is (laws is None):
        return None
    if laws is not None:
        return Scoring.RUBBER if laws == find_laws(Scoring.RUBBER) else None
    return Scoring.DEALS if scheme == find_scheme(Scoring.DEALS) else None
