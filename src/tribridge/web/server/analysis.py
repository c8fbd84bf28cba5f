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


class DoubleForecast(BaseModel):
    """What a double or redouble of the standing bid can be expected to bring."""

    call: str
    expected: float = Field(description="Points on average.")
    worst: float = Field(description="The mean of the worst 5%.")


class Forecasts(BaseModel):
    """The forecasts of a hand in the auction, and the calls that follow from them."""

    mean_tricks: dict[str, float] = Field(description="By strain.")
    bids: list[BidForecast]
    passing: float = Field(description="Points on average after a pass.")
    doubling: list[DoubleForecast] = Field(description="Double or redouble, where it is legal.")
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
        doubling=[
            DoubleForecast(call=call_name(mark), expected=expected, worst=worst)
            for mark, expected, worst in table.doubling
        ],
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


class OptionValue(BaseModel):
    """A card or call that could have been chosen."""

    action: str
    expected: float = Field(
        description="As its player could know: declarer's tricks for a card, points for a call."
    )
    loss: float = Field(description="How much worse it is for its player than the best option.")
    error: float = Field(description="The standard error of the loss.")
    points: float = Field(description="Points on average: declarer's for a card.")
    points_loss: float = Field(description="The loss in points, which the verdict follows.")
    points_error: float = Field(description="The standard error of that loss.")
    actual: float | None = Field(
        description="Tricks or points on the hands as they were, double dummy."
    )


class Judged(BaseModel):
    """The verdict on one call or card, by what its player could know."""

    number: int = Field(description="Counted from 1 over all calls and cards of the deal.")
    seat: str = Field(description="Who chose; the declarer for a card from dummy.")
    chair: str | None = Field(description="The chair that played the card; null for a call.")
    action: str
    verdict: str
    luck: str | None
    loss: float
    error: float | None
    points_loss: float
    points_error: float | None
    cost: float | None = Field(
        description="What it gave away double dummy: tricks for a card, points for a call."
    )
    double_dummy: int | None = Field(
        description="Declarer's tricks before the card with best play by all; null for a call."
    )
    expected: float | None = Field(description="The same as the player could expect it.")
    points: float | None = Field(description="Points that the player could expect.")
    layouts: int = Field(description="Layouts of the unseen cards that were valued.")
    second_opinion: str | None = Field(description="The card the trained network prefers.")
    reason: str
    options: list[OptionValue]


class ReviewView(BaseModel):
    """A finished deal, all cards face up, with the verdicts that are known so far."""

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
    choices: int = Field(description="Calls and cards of the deal.")
    judged: list[Judged] = Field(description="The verdicts so far, in order.")
    over: bool = Field(description="Whether no more verdicts will come; until then, ask again.")
    players: list[str] = Field(description="A sentence about each player, once all is judged.")
    estimates: list[Estimate] = Field(
        description="Algorithm 1 on the declarer's hand, and Algorithm 2 with the dummy."
    )


@router.get("/tables/{table}/review/{deal}", responses=AT_A_TABLE)
async def review_deal(request: Request, room: RoomOf, server: ServerOf, deal: int) -> ReviewView:
    """A finished deal: a verdict on each call and card, and what the algorithms predicted.

    The first request begins the review, which takes some 10 seconds of a core; ask again until
    `over`.
    """
    done = review.finished_deal(room, deal)
    analysis = review.analysis_of(server, client_of(request), room, deal)
    dealt, contract = done.record.deal, done.outcome.contract
    estimates = []
    if contract is not None:
        hand = dealt.hands[contract.declarer]
        one, two = algorithm1(hand, dealt.deck), algorithm2(hand, dealt.hidden, dealt.deck)
        estimates = [_estimate(one), _estimate(two)]
    return ReviewView(
        deal=deal,
        hands={seat.letter: str(dealt.hands[seat]) for seat in Seat}
        | {"hidden": str(dealt.hidden)},
        record=list(review.record_of(room, deal).events()),
        contract=contract_text(contract),
        declarer=None if contract is None else contract.declarer.letter,
        tricks=done.outcome.tricks,
        claimed=done.claimed,
        scores=[points_name(points) for points in room.state.match.sheet()[deal - 1].scores],
        advised=[seat.letter for seat in done.advised],
        choices=analysis.total,
        judged=[Judged(**one) for one in analysis.judgements],
        over=analysis.over,
        players=analysis.players,
        estimates=estimates,
    )
