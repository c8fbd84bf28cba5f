"""Advice computed by the workers from one seat's view.

Everything here follows from the seat's view alone: the paper's algorithm on the visible cards, a
forecast for every bid, the chance that a hidden hand holds a card, and a strategy's choice.

Advice must not contradict itself: where there are forecasts, the advised calls follow from them,
and no strategy with forecasts of its own is consulted as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from tribridge.advice.calls import DEFENCE, Advice, advise
from tribridge.beliefs import Beliefs, call_model
from tribridge.cards import FULL_DECK, Card, Hand, Rank, Strain, Suit
from tribridge.deals import HIDDEN, Seat
from tribridge.errors import TribridgeError
from tribridge.forecast.distribution import percent
from tribridge.game import Action, Bid, Mark, View, call_name, find_scheme
from tribridge.web.core.thinking import choose

_HONOURS: Final = (Rank.ACE, Rank.KING, Rank.QUEEN, Rank.JACK, Rank.TEN)
_DRAWS: Final = 4000


@dataclass(frozen=True, slots=True)
class BidCell:
    """One bid of the forecast table."""

    bid: Bid
    allowed: bool
    chance: float
    expected: float
    worst: float

    @property
    def percent(self) -> str:
        """The chance as a whole percentage, as in the reasons."""
        return percent(self.chance)


@dataclass(frozen=True, slots=True)
class ForecastRow:
    """One strain of the forecast table."""

    strain: Strain
    mean: float
    cells: tuple[BidCell, ...]


@dataclass(frozen=True, slots=True)
class ForecastTable:
    """The forecast table and the calls that follow from it."""

    rows: tuple[ForecastRow, ...]
    neutral: str
    neutral_reason: str
    cautious: str
    cautious_reason: str
    passing: float
    doubling: tuple[tuple[Mark, float, float], ...] = ()
    """Double or redouble, where legal, with expected points and the mean of the worst 5%."""


@dataclass(frozen=True, slots=True)
class Chance:
    """An unseen card and the chance, in percent, that each hidden hand holds it."""

    card: Card
    chances: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class BeliefTable:
    """Who is likely to hold what."""

    holders: tuple[int, ...]
    """Seats as numbers; 3 is the hidden hand."""
    cards: tuple[Chance, ...]
    lengths: tuple[tuple[Suit, tuple[float, ...]], ...]
    """For each suit, the mean number of cards left in each hidden hand."""


@dataclass(frozen=True, slots=True)
class Counsel:
    """The complete advice; a part that is not available is None."""

    forecasts: ForecastTable | None
    beliefs: BeliefTable | None
    action: Action | None
    reason: str
    strategy: str


def counsel(
    view: View, scheme: str, strategy: str, strategy_seed: int, deal: int, actions: int
) -> Counsel:
    """Advice on a view."""
    table = forecasts(view, scheme) if view.contract is None else None
    action, reason = None, ""
    if view.legal and table is None:
        try:
            action, reason = choose(strategy, view, strategy_seed, deal, actions)
        except TribridgeError as error:
            reason = str(error)
    return Counsel(
        table,
        belief_table(view) if view.contract is not None else None,
        action,
        reason,
        strategy,
    )


def advice_on(view: View, scheme: str) -> Advice:
    """The advice on a call; in a rubber, its laws replace the scheme and its standing counts."""
    rubber = view.rubber
    scoring = find_scheme(scheme) if rubber is None else rubber.laws.scheme
    return advise(view.dealt, None, view.auction, scheme=scoring, defence=DEFENCE, rubber=rubber)


def forecasts(view: View, scheme: str) -> ForecastTable | None:
    """The forecast table of a hand in the auction; None if there is no forecast for it."""
    if view.deck != FULL_DECK or not view.dealt or view.turn is not view.seat:
        return None
    advice = advice_on(view, scheme)
    legal = set(view.legal)
    rows = []
    for strain in Strain:
        bids = [bid for bid in advice.bids if bid.strain is strain]
        cells = tuple(
            BidCell(
                bid,
                bid in legal,
                advice.bids[bid].chance or 0.0,
                advice.bids[bid].expected,
                advice.bids[bid].worst,
            )
            for bid in sorted(bids)
        )
        rows.append(ForecastRow(strain, advice.forecasts[strain].mean, cells))
    return ForecastTable(
        tuple(rows),
        call_name(advice.neutral.call),
        advice.neutral.reason,
        call_name(advice.cautious.call),
        advice.cautious.reason,
        advice.passing.expected,
        tuple((mark, one.expected, one.worst) for mark, one in advice.doubling.items()),
    )


def belief_table(view: View) -> BeliefTable | None:
    """Who is likely to hold the unseen honours, given the calls and the play."""
    seen = view.hand | view.played | (view.dummy or Hand())
    if view.seat is None:
        return None
    beliefs = Beliefs(view, call_model(view))
    posterior = beliefs.posterior(np.random.default_rng(1), _DRAWS)
    holders = tuple(int(seat) for seat in Seat if seat is not view.seat)
    if view.dummy is None:
        holders = (*holders, HIDDEN)
    out = Hand(view.deck.mask) - seen
    cards = tuple(
        Chance(card, tuple(100 * posterior.holds(h, card).value for h in holders))
        for suit in reversed(Suit)
        for card in out.suit(suit)
        if card.rank in _HONOURS
    )
    played = np.uint64(view.played.mask)
    lengths = []
    for suit in reversed(Suit):
        row = np.uint64(0x1FFF << 13 * suit)
        left = [
            float(
                posterior.weights
                @ np.bitwise_count(posterior.deals[:, h] & row & ~played).astype(float)
            )
            for h in holders
        ]
        lengths.append((suit, tuple(left)))
    return BeliefTable(holders, cards, tuple(lengths))
