"""Advice and review for programs: what the pages show, as JSON."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from tribridge.capture import Conditions, Result, algorithm1, algorithm2
from tribridge.capture.wording import headline
from tribridge.deals import HIDDEN, Seat
from tribridge.game import call_name, points_name
from tribridge.game.view_json import action_name, contract_text
from tribridge.web.pages import advising, review
from tribridge.web.pages.advice import advice_for
from tribridge.web.server.access import RoomOf, ServerOf, client_of
from tribridge.web.server.api import PlayerOf
from tribridge.web.server.bodies import ANYWHERE, AT_A_TABLE, CHANGING

router = APIRouter(
    prefix="/api",
    tags=["analysis"],
    responses=ANYWHERE,
    generate_unique_id_function=lambda route: route.name,
)


class Estimate(BaseModel):
    """The verdict of one of the paper's algorithms."""

    algorithm: int
    captures: int | None = Field(description="Null if a condition of the algorithm fails.")
    words: str


def _estimate(result: Result) -> Estimate:
    holds = result.outcome is Conditions.BOTH_HOLD
    return Estimate(
        algorithm=2 if result.dummy else 1,
        captures=result.captures if holds else None,
        words=headline(result),
    )


class BidForecast(BaseModel):
    """What a bid may bring."""

    bid: str
    legal: bool
    chance: float = Field(description="The chance to make it, from 0 to 1.")
    expected: float = Field(description="Points on average.")
    worst: float = Field(description="Points on average in the worst 5% of cases.")


class CallAdvice(BaseModel):
    """An advised call and why."""

    call: str
    reason: str


class Forecasts(BaseModel):
    """The forecasts of a hand in the auction, and the calls that follow from them."""

    mean_tricks: dict[str, float] = Field(description="By strain.")
    bids: list[BidForecast]
    passing: float = Field(description="Points on average after a pass.")
    neutral: CallAdvice
    cautious: CallAdvice


class CardBelief(BaseModel):
    """An unseen honour and the chance, from 0 to 1, that each hidden hand holds it."""

    card: str
    chances: dict[str, float] = Field(description="By hand: N, E, S or `hidden`.")


class Beliefs(BaseModel):
    """Who is likely to hold what."""

    cards: list[CardBelief]
    lengths: dict[str, dict[str, float]] = Field(
        description="By suit and hand, the mean number of cards left."
    )


class AdviceView(BaseModel):
    """Advice for the seat that asked; a part that is not available is null."""

    number: int = Field(description="Events so far, with the one that says who asked.")
    estimate: Estimate
    forecasts: Forecasts | None
    beliefs: Beliefs | None
    action: str | None = Field(description="The choice of the strategy, if it was asked.")
    reason: str
    strategy: str


@router.post("/tables/{table}/advice", responses=CHANGING)
async def advise(request: Request, room: RoomOf, server: ServerOf, seat: PlayerOf) -> AdviceView:
    """Advice for this seat, from what it may see. Everyone at the table sees that it asked."""
    given = await advice_for(client_of(request), room, server, seat)
    counsel = given.counsel
    return AdviceView(
        number=given.state.number,
        estimate=_estimate(given.result),
        forecasts=None if counsel.forecasts is None else _forecasts(counsel.forecasts),
        beliefs=None if counsel.beliefs is None else _beliefs(counsel.beliefs),
        action=None if counsel.action is None else action_name(counsel.action),
        reason=counsel.reason,
        strategy=counsel.strategy,
    )


def _forecasts(table: advising.ForecastTable) -> Forecasts:
    return Forecasts(
        mean_tricks={row.strain.letter: row.mean for row in table.rows},
        bids=[
            BidForecast(
                bid=call_name(cell.bid),
                legal=cell.allowed,
                chance=cell.chance,
                expected=cell.expected,
                worst=cell.worst,
            )
            for row in table.rows
            for cell in row.cells
        ],
        passing=table.passing,
        neutral=CallAdvice(call=table.neutral, reason=table.neutral_reason),
        cautious=CallAdvice(call=table.cautious, reason=table.cautious_reason),
    )


def _beliefs(table: advising.BeliefTable) -> Beliefs:
    hands = ["hidden" if one == HIDDEN else Seat(one).letter for one in table.holders]
    return Beliefs(
        cards=[
            CardBelief(
                card=one.card.name,
                chances={h: c / 100 for h, c in zip(hands, one.chances, strict=True)},
            )
            for one in table.cards
        ],
        lengths={
            suit.letter: dict(zip(hands, means, strict=True)) for suit, means in table.lengths
        },
    )


class CardReview(BaseModel):
    """One card of the play and what it cost, double dummy."""

    card: str
    chair: str
    player: str = Field(description="The name at the table, or `Dummy`.")
    won: bool = Field(description="Whether it won the trick.")
    value: int | None = Field(description="Declarer's tricks after it, with best play by all.")
    cost: int = Field(description="Tricks it gave away.")
    better: list[str] = Field(description="Cards that would have cost nothing, if it cost any.")


class ReviewView(BaseModel):
    """A finished deal, all cards face up."""

    deal: int
    hands: dict[str, str] = Field(description="By seat, and `hidden`: spades.hearts.diamonds.clubs")
    record: list[dict[str, Any]] = Field(
        description="The events of the deal, as in a JSON Lines record."
    )
    contract: str | None
    declarer: str | None
    tricks: int = Field(description="Tricks won by the declarer's side.")
    claimed: bool
    scores: list[str]
    advised: list[str] = Field(description="Who asked for advice, once for each position.")
    double_dummy: int | None = Field(
        description="Declarer's tricks with best play by all from the opening lead; null for a "
        "deal without play, or if it could not be computed."
    )
    cards: list[CardReview]
    estimates: list[Estimate] = Field(
        description="Algorithm 1 on the declarer's hand, and Algorithm 2 with the dummy."
    )


@router.get("/tables/{table}/review/{deal}", responses=AT_A_TABLE)
async def review_deal(request: Request, room: RoomOf, server: ServerOf, deal: int) -> ReviewView:
    """A finished deal: what each card cost, and what the paper's algorithms predicted."""
    done = review._finished(room, deal)
    values = await review._truth(server, client_of(request), room, deal)
    dealt, contract = done.record.deal, done.outcome.contract
    names = [place.name for place in room.state.places]
    estimates = []
    if contract is not None:
        hand = dealt.hands[contract.declarer]
        one, two = algorithm1(hand, dealt.deck), algorithm2(hand, dealt.hidden, dealt.deck)
        estimates = [_estimate(one), _estimate(two)]
    return ReviewView(
        deal=deal,
        hands={seat.letter: str(dealt.hands[seat]) for seat in Seat}
        | {"hidden": str(dealt.hidden)},
        record=list(review._record(room, deal).events()),
        contract=contract_text(contract),
        declarer=None if contract is None else contract.declarer.letter,
        tricks=done.outcome.tricks,
        claimed=done.claimed,
        scores=[points_name(points) for points in room.state.match.sheet()[deal - 1].scores],
        advised=[seat.letter for seat in done.advised],
        double_dummy=min(values[0].values()) if values else None,
        cards=[
            CardReview(
                card=one.card.name,
                chair=one.chair.name.lower(),
                player=one.who,
                won=one.winner,
                value=one.value,
                cost=one.cost,
                better=[card.name for card in one.better],
            )
            for one in review.plays(done.record.replay(), names, values)
        ],
        estimates=estimates,
    )
