"""Advice and hints for a seat, computed by the workers from its view.

Everything here follows from the view alone: the choices worth naming, a forecast for every bid, the
chance that a hidden hand holds a card, and the paper's algorithm on the visible cards.

Hint and advice name the same options, those of `strategies.options`, so that neither contradicts
the other or the bots. The chances of the calls among them are those of the forecasts beside them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from tribridge.beliefs import chairs, table_beliefs
from tribridge.capture import Conditions, Result, algorithm1, algorithm2
from tribridge.capture.wording import headline
from tribridge.cards.cards import FULL_DECK, Card, Hand, Rank, Strain, Suit
from tribridge.cards.deals import HIDDEN, Seat
from tribridge.club.view.values import OnPages, filled, value
from tribridge.forecast.distribution import percent
from tribridge.game import DOUBLE, PASS, REDOUBLE, Bid, Chair, Contract, View
from tribridge.networks.values import chances, layouts_of
from tribridge.reviews.values import NamedAction
from tribridge.strategies import options
from tribridge.strategies.choices import advice_on, valued_calls

if TYPE_CHECKING:
    from tribridge.strategies.learned.auctions import Contracts

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
class NamedOption:
    """A choice worth naming."""

    action: NamedAction
    reason: str
    value: float | None
    """Points on average, compared with the opponents; null where nothing can be valued."""
    chance: float | None
    """The chance, from 0 to 1, that the contract makes: the bid, or the one that stands."""
    tricks: float | None
    """For a card, tricks of the own side on average."""
    share: float | None
    """The share of experts who would choose it, as a network estimates; null if not known."""
    same: tuple[Card, ...]
    """Cards that are equal to it in play."""


@value
class Study:
    """What takes time in advice."""

    forecasts: Forecasts | None
    beliefs: HiddenHands | None
    options: tuple[NamedOption, ...]


@value
class Advice:
    """Advice for the seat that asked; a part that is not available is null."""

    number: int
    """Events so far, with the one that says who asked."""
    estimate: Estimate
    forecasts: Forecasts | None = None
    beliefs: HiddenHands | None = None
    options: tuple[NamedOption, ...] = ()
    """The choices worth naming, best first, if it is the seat's turn."""
    action: NamedAction | None = None
    """The best of them."""
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


def study(view: View) -> Study:
    """What workers find out for the advice on a view."""
    due = view.contract is None and view.turn is view.seat and bool(view.legal)
    calls = valued_calls(view, advice_on(view)) if due and view.deck == FULL_DECK else None
    named = options(view) if calls is None else calls.options()
    return Study(
        forecasts=None if calls is None else _forecasts(view, calls.contracts),
        beliefs=None if view.contract is None else beliefs_of(view),
        options=tuple(filled(NamedOption, option) for option in named),
    )


def full_advice(view: View, number: int, strategy: str, studied: Study) -> Advice:
    """All the advice on a view."""
    best = studied.options[0] if studied.options else None
    return replace(
        plain_advice(view, number, strategy),
        forecasts=studied.forecasts,
        beliefs=studied.beliefs,
        options=studied.options,
        action=best.action if best else None,
        reason=best.reason if best else "",
    )


def _forecasts(view: View, contracts: Contracts) -> Forecasts:
    """Every bid as the contract, on the layouts of the options."""
    tricks, bids, doubling = dict[str, float](), list[BidForecast](), list[DoubleForecast]()
    for strain in Strain:
        for level in range(1, view.deck.levels + 1):
            bid = Bid(level, strain)
            made = contracts.of(bid)
            assert made is not None
            tricks[strain.letter] = made.tricks
            bids.append(filled(BidForecast, made.prospect, bid=bid, legal=bid in view.legal))
    for mark in (DOUBLE, REDOUBLE):
        made = contracts.of(mark) if mark in view.legal else None
        if made is not None:
            doubling.append(filled(DoubleForecast, made.prospect, call=mark))
    left = contracts.of(PASS)
    passing = 0.0 if left is None else left.prospect.expected
    return Forecasts(
        mean_tricks=tricks, bids=tuple(bids), passing=passing, doubling=tuple(doubling)
    )


def beliefs_of(view: View) -> HiddenHands | None:
    """Who is likely to hold the unseen honours, given the calls and the play."""
    if view.seat is None:
        return None
    seen = view.hand | view.played | (view.dummy or Hand())
    posterior = table_beliefs(view).posterior(np.random.default_rng(1), _DRAWS)
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
    deals = table_beliefs(view).sample(_LAYOUTS, np.random.default_rng(1))
    ends = chances(layouts_of(view, chairs(view, deals).astype(np.int64))).mean(0)
    return Outlook(
        contract=contract,
        makes=float(ends[contract.tricks_needed(view.deck) :].sum()),
        tricks=float(ends @ np.arange(len(ends))),
    )
