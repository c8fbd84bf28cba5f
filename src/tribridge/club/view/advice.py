"""Advice and hints for a seat, computed by the workers from its view.

Everything here follows from the view alone: the paper's algorithm on the visible cards, a forecast
for every bid, the chance that a hidden hand holds a card, and a strategy's choice.

Advice must not contradict itself: where there are forecasts, the advised calls follow from them,
and no strategy with forecasts of its own is consulted as well.

Hints are the sensible options, each with a reason in words that the first lesson has explained. For
calls the values are those of the advice; for cards those of the network `learned`. The sentences
are data in `hints.toml`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from tribridge.advice.calls import DEFENCE, Recommendation, advise
from tribridge.advice.calls import Advice as CallingAdvice
from tribridge.advice.prospects import Prospect
from tribridge.beliefs import Beliefs, call_model, chairs
from tribridge.capture import Conditions, Result, algorithm1, algorithm2
from tribridge.capture.wording import headline
from tribridge.cards.cards import FULL_DECK, Card, Hand, Rank, Strain, Suit
from tribridge.cards.deals import HIDDEN, Seat
from tribridge.club.core.workers import choose
from tribridge.club.language import Text, texts
from tribridge.club.view.values import OnPages, filled, value
from tribridge.common.errors import TribridgeError
from tribridge.common.sentences import decimal
from tribridge.forecast.distribution import percent
from tribridge.game import PASS, Action, Bid, Call, Chair, Contract, Position, View, find_scheme
from tribridge.game.tricks import beats
from tribridge.networks.values import chances, layouts_of
from tribridge.reviews.values import NamedAction
from tribridge.strategies.learned.player import preferences
from tribridge.strategies.players.maxims.player import maxim

_HONOURS: Final = (Rank.ACE, Rank.KING, Rank.QUEEN, Rank.JACK, Rank.TEN)
_DRAWS: Final = 4000
_LAYOUTS: Final = 100
"""For the outlook of those who look on."""


@value
class Estimate:
    """The verdict of one of the paper's algorithms."""

    algorithm: int
    captures: int | None
    """Null if a condition of the algorithm fails."""
    words: str


def estimate(result: Result) -> Estimate:
    """What an algorithm says about a hand."""
    return Estimate(
        algorithm=2 if result.dummy else 1,
        captures=result.captures if result.outcome is Conditions.BOTH_HOLD else None,
        words=headline(result),
    )


@value
class BidForecast:
    """What a bid may bring."""

    bid: Bid
    legal: bool
    chance: float
    """The chance to make it, from 0 to 1."""
    expected: float
    """Points on average."""
    worst: float
    """Points on average in the worst 5% of cases."""

    @property
    def percent(self) -> str:
        """The chance as a whole percentage, as in the reasons."""
        return percent(self.chance)


@value
class DoubleForecast:
    """What a double or redouble of the standing bid can be expected to bring."""

    call: NamedAction
    expected: float
    """Points on average."""
    worst: float
    """The mean of the worst 5%."""


@value
class Forecasts:
    """The forecasts of a hand in the auction, and the calls that follow from them."""

    mean_tricks: dict[str, float]
    """By strain."""
    bids: tuple[BidForecast, ...]
    passing: float
    """Points on average after a pass."""
    doubling: tuple[DoubleForecast, ...]
    """Double or redouble, where it is legal."""
    neutral: Recommendation
    cautious: Recommendation


@value
class CardBelief:
    """An unseen honour and the chance, from 0 to 1, that each hidden hand holds it."""

    card: Card
    chances: dict[str, float]
    """By hand: N, E, S or `hidden`."""


@value
class HiddenHands:
    """Who is likely to hold what."""

    cards: tuple[CardBelief, ...]
    lengths: dict[str, dict[str, float]]
    """By suit and hand, the mean number of cards left."""


@value
class Advice:
    """Advice for the seat that asked; a part that is not available is null."""

    number: int
    """Events so far, with the one that says who asked."""
    estimate: Estimate
    forecasts: Forecasts | None = None
    beliefs: HiddenHands | None = None
    action: NamedAction | None = None
    """The choice of the strategy, if it was asked."""
    reason: str = ""
    strategy: str
    result: OnPages[Result]
    """Of Algorithm 2 for the declarer who sees the dummy, else of Algorithm 1."""
    seen: OnPages[View]
    """What all of it follows from."""


def plain_advice(view: View, number: int, strategy: str) -> Advice:
    """What the paper's algorithms alone say."""
    if view.own_chair is Chair.DECLARER and view.dummy_dealt is not None:
        result = algorithm2(view.dealt, view.dummy_dealt, view.deck)
    else:
        result = algorithm1(view.dealt, view.deck)
    return Advice(
        number=number, estimate=estimate(result), strategy=strategy, result=result, seen=view
    )


def full_advice(
    view: View,
    number: int,
    scheme: str,
    strategy: str,
    strategy_seed: int,
    deal: int,
) -> Advice:
    """All the advice on a view."""
    forecasts = forecasts_of(view, scheme) if view.contract is None else None
    action, reason = None, ""
    if view.legal and forecasts is None:
        try:
            action, reason = choose(strategy, view, strategy_seed, deal)
        except TribridgeError as error:
            reason = str(error)
    return replace(
        plain_advice(view, number, strategy),
        forecasts=forecasts,
        beliefs=None if view.contract is None else beliefs_of(view),
        action=action,
        reason=reason,
    )


def advice_on(view: View, scheme: str) -> CallingAdvice:
    """The advice on a call; in a rubber, its laws replace the scheme and its standing counts."""
    rubber = view.rubber
    scoring = find_scheme(scheme) if rubber is None else rubber.laws.scheme
    return advise(view.dealt, None, view.auction, scheme=scoring, defence=DEFENCE, rubber=rubber)


def forecasts_of(view: View, scheme: str) -> Forecasts | None:
    """The forecasts of a hand in the auction; None if there are none for it."""
    if view.deck != FULL_DECK or not view.dealt or view.turn is not view.seat:
        return None
    advice = advice_on(view, scheme)
    bids = sorted(advice.bids, key=lambda bid: (bid.strain, bid.level))
    return filled(
        Forecasts,
        advice,
        mean_tricks={strain.letter: advice.forecasts[strain].mean for strain in Strain},
        bids=tuple(
            filled(BidForecast, advice.bids[bid], bid=bid, legal=bid in view.legal) for bid in bids
        ),
        passing=advice.passing.expected,
        doubling=tuple(filled(DoubleForecast, p, call=m) for m, p in advice.doubling.items()),
    )


def beliefs_of(view: View) -> HiddenHands | None:
    """Who is likely to hold the unseen honours, given the calls and the play."""
    if view.seat is None:
        return None
    seen = view.hand | view.played | (view.dummy or Hand())
    posterior = Beliefs(view, call_model(view)).posterior(np.random.default_rng(1), _DRAWS)
    holders = {seat.letter: seat.index for seat in Seat if seat is not view.seat}
    if view.dummy is None:
        holders["hidden"] = HIDDEN
    played = np.uint64(view.played.mask)

    def left(suit: Suit, holder: int) -> float:
        row = np.uint64(0x1FFF << 13 * suit.index)
        held = np.bitwise_count(posterior.deals[:, holder] & row & ~played)
        return float(posterior.weights @ held.astype(float))

    return HiddenHands(
        cards=tuple(
            CardBelief(
                card=card,
                chances={name: posterior.holds(h, card).value for name, h in holders.items()},
            )
            for suit in reversed(Suit)
            for card in (Hand(view.deck.mask) - seen).suit(suit)
            if card.rank in _HONOURS
        ),
        lengths={
            suit.letter: {name: left(suit, h) for name, h in holders.items()}
            for suit in reversed(Suit)
        },
    )


@value
class Outlook:
    """How a contract is likely to end, by what everyone can see."""

    contract: Contract
    makes: float
    """The chance that it is made, from 0 to 1."""
    tricks: float
    """Declarer's tricks on average."""

    @property
    def percent(self) -> str:
        return percent(self.makes)


def outlook(view: View) -> Outlook | None:
    """The outlook of a kibitzer's view in the play of the full deck, if strong players go on."""
    contract = view.contract
    if contract is None or view.outcome is not None or view.deck != FULL_DECK:
        return None
    deals = Beliefs(view, call_model(view)).sample(_LAYOUTS, np.random.default_rng(1))
    ends = chances(layouts_of(view, chairs(view, deals).astype(np.int64))).mean(0)
    return Outlook(
        contract=contract,
        makes=float(ends[contract.tricks_needed(view.deck) :].sum()),
        tricks=float(ends @ np.arange(len(ends))),
    )


_BIDS: Final = 3
_CARDS: Final = 3
_LONG_SHOT: Final = 0.25


@dataclass(frozen=True, slots=True)
class Option:
    """One sensible call or card."""

    action: Action
    value: float | None
    """Points for a call, tricks of the own side for a card, both on average."""
    reason: str
    best: bool = False


def hints(view: View, scheme: str) -> tuple[Option, ...]:
    """The sensible options of the seat whose turn it is, best first; none if none are known."""
    if not view.legal or view.turn is not view.seat:
        return ()
    if view.contract is None:
        return _calls(view, scheme) if view.deck == FULL_DECK else ()
    position = view.position
    assert position is not None
    return _cards(view, position)


def _calls(view: View, scheme: str) -> tuple[Option, ...]:
    advice = advice_on(view, scheme)
    bids = sorted(advice.sufficient, key=lambda bid: -advice.bids[bid].expected)[:_BIDS]
    prospects: list[tuple[Call, Prospect]] = [(PASS, advice.passing), *advice.doubling.items()]
    prospects += [(bid, advice.bids[bid]) for bid in bids]
    offered = [
        Option(call, prospect.expected, _why_call(view, advice, call), call == advice.call)
        for call, prospect in prospects
    ]
    return tuple(sorted(offered, key=lambda option: (not option.best, -(option.value or 0.0))))


def _why_call(view: View, advice: CallingAdvice, call: Call) -> Text:
    """What a call may bring, in one sentence."""
    if isinstance(call, Bid):
        chance, tricks = advice.bids[call].chance or 0.0, advice.forecasts[call.strain].mean
        kind = "bid" if chance >= _LONG_SHOT else "bid_long_shot"
        return _text("calls", kind, chance=percent(chance), tricks=decimal(tricks))
    if call is not PASS:
        return _text("calls", "double", chance=percent(advice.doubling[call].chance or 0.0))
    if advice.passing.chance is None:
        return _text("calls", "pass_free")
    kind = "pass_own" if view.auction.bidder is view.seat else "pass_theirs"
    return _text("calls", kind, chance=percent(advice.passing.chance))


def _cards(view: View, position: Position) -> tuple[Option, ...]:
    legal = position.legal
    if len(legal) == 1:
        return (Option(legal[0], None, _text("cards", "only"), best=True),)
    if view.deck != FULL_DECK:
        chosen, _ = maxim(position)
        return (Option(chosen, None, _why_card(position, chosen), best=True),)
    shown: dict[str, Option] = {}
    for card, tricks in preferences(view).items():
        reason = _why_card(position, card)  # of cards that do the same, one is enough
        won = tricks if position.declaring else view.deck.hand_size - tricks
        shown.setdefault(reason, Option(card, won, reason, not shown))
    return tuple(shown.values())[:_CARDS]


def _why_card(position: Position, card: Card) -> Text:
    """What a card does, in one sentence."""
    trump, suit = position.contract.bid.strain.trump, card.suit
    place, declaring = len(position.trick), position.declaring
    if not place:
        above = position.row(position.unseen, suit.index) & ((1 << card.column) - 1)
        if suit is trump:
            return _text("cards", "draw_trumps" if declaring else "lead_trump")
        if above:
            touching = position.row(position.mine, suit.index) & (2 << card.column)
            high = card.rank in _HONOURS and touching
            return _text("cards", "lead_sequence" if high else "lead", suit=suit)
        kind = "lead_winner" if trump is not None else "lead_winner_notrump"
        return _text("cards", kind, suit=suit)
    chair, best = position.best()
    if beats(card.index, best.index, position.trump):
        if place == 3:
            return _text("cards", "last_wins")
        return _text("cards", "ruff" if suit is not position.trick[0].suit else "takes")
    if suit is not position.trick[0].suit:
        return _text("cards", "discard", suit=suit)
    ours = (chair % 2 == 0) == declaring
    return _text("cards", "partner" if ours else "second" if place == 1 else "low")


def _text(kind: str, name: str, **fields: Any) -> Text:
    return Text(str(texts("view/hints.toml")[kind][name]), **fields)
