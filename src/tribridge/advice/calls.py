"""Advice: what to call, from forecasts, a scoring scheme and the auction so far.

Points are those of `prospects`: the gain of a call over the average opponent.

**A bid** is valued as if it became the contract. **A pass** is worth nothing while nobody has bid;
over an opponent's bid it is valued as if that became the contract. **A double** or redouble, where
the table plays them, is valued as if the bid that stands became the contract at those stakes. When
the player's own bid has been doubled, other bids are valued as if they were doubled too, and more
of the same strain is no way out.
Further calls by the others are not predicted. The advice is for the player whose turn it is.

Passing over an opponent's bid means defending it, and the player's own cards matter (`layouts`).

**Forecasts.** Before anyone has called, the forecast is from the hand alone; with dummy known, from
both hands. After calls, layouts of the unknown cards are sampled and weighted by the calls
(`layouts`), and the forecast is the mean over the hidden hands of the layouts.

**Two players.** The neutral one takes the highest expectation. The cautious one takes the highest
`(1 - caution) * expectation + caution * mean of the worst 5%`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from tribridge.advice.holdings import Because, because
from tribridge.advice.layouts import (
    OWN,
    SAMPLES,
    caller,
    chairs,
    drawn,
    forecast_standing,
    layouts_of,
    valued,
)
from tribridge.advice.prospects import DOUBLE_MARGIN as DOUBLE_MARGIN
from tribridge.advice.prospects import (
    LEVELS,
    NOTHING,
    Prospect,
    Scoring,
    bid_values,
    contract_values,
    defence_values,
    prospects,
)
from tribridge.advice.prospects import Recommendation as Recommendation
from tribridge.advice.prospects import recommend as recommend
from tribridge.advice.rubber_payoffs import RubberPayoffs, players
from tribridge.capture import Result, algorithm1, algorithm2
from tribridge.cards.cards import FULL_DECK, Hand, Strain, check_pair
from tribridge.cards.deals import HIDDEN, ByStrain, Seat
from tribridge.cards.masks import F64, U64
from tribridge.common import charts
from tribridge.common.codec import also
from tribridge.common.errors import FormatError, IllegalActionError, SettingError, shown, unchanging
from tribridge.forecast.distribution import Distribution, distributions, percent
from tribridge.forecast.kinds import DEFAULT, Forecaster, find_forecaster
from tribridge.forecast.sure import possible
from tribridge.game.auction import (
    DOUBLE,
    PASS,
    REDOUBLE,
    Auction,
    Bid,
    Call,
    Mark,
    call_name,
    parse_call,
    parse_calls,
)
from tribridge.game.scoring import Scheme
from tribridge.game.standing import RubberState

CAUTION: Final = 0.3
DEFENCE: Final = 200
"""Layouts to value for a pass: a standard error of 2 percentage points."""

_FORECAST: Final = 1000
"""The most layouts in which the tricks of a bid are forecast: of more, some are drawn by weight."""
_BOOK: Final = FULL_DECK.book


@also("seat", "call", "reason", "sufficient")
@unchanging
@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """The complete advice on a call; `tribridge advise --json` writes it as the codec does."""

    hand: Hand
    dummy: Hand | None
    auction: Auction = field(repr=False)
    scheme: Scheme = field(repr=False)
    kind: str
    caution: float
    forecasts: ByStrain[Distribution] = field(repr=False)
    bids: Mapping[Bid, Prospect] = field(repr=False)
    """Every bid from 1♣ to 7NT, sufficient or not."""
    passing: Prospect
    doubling: Mapping[Mark, Prospect] = field(default_factory=dict)
    """The double or the redouble that is allowed now."""
    neutral: Recommendation
    cautious: Recommendation
    paper: Result = field(repr=False)
    """Algorithm 1 on the hand, or Algorithm 2 on hand and dummy."""
    paper_call: Call
    effective: float | None
    """The effective number of layouts behind the forecasts; None if none were needed."""
    defended: int = 0
    """How many layouts of the standing contract were valued for a pass or a double."""
    rubber: RubberState | None = field(default=None, repr=False)
    """The rubber that the deal belongs to; None if it is scored by itself."""
    vulnerable: tuple[Seat, ...] = ()
    silence: Prospect | None = None
    """What passing from now on brings while the others bid on; None if that was not valued."""
    ceiling: ByStrain[Bid | None] | None = field(default=None, repr=False)
    """How high each strain may go: the highest bid that is worth more than staying silent."""

    def __repr__(self) -> str:
        return f"<Advice on {self.hand}: {call_name(self.call)}>"

    def __str__(self) -> str:
        return f"{self.call}: {self.reason}"

    def _repr_html_(self) -> str:
        """The call and why, the calls compared, and the tricks of the strain that is bid."""
        calls = [*self.compared]
        names = ["call", "tricks", "makes", "average", "worst 5%", "up to", "your hand"]
        rows = [self._row(call) for call in calls]
        summary = f"<b>{charts.html(self.call)}</b>: {charts.html(self.reason)}"
        parts = [charts.Html(summary), charts.table(names, rows, calls.index(self.call))]
        if isinstance(self.call, Bid):
            tricks, needed = self.forecasts[self.call.strain], _BOOK + self.call.level
            title = charts.html(f"Tricks in {self.call.strain}, in percent:")
            parts += [title, charts.bars(tricks.chances, needed)]
        return charts.block(*parts)

    def _row(self, call: Call) -> list[str]:
        prospect = self.compared[call]
        row = [str(call), "", "", f"{prospect.expected:+.1f}", f"{prospect.worst:+.0f}", ""]
        if isinstance(call, Bid):
            row[1] = f"{self.forecasts[call.strain].mean:.1f}"
            row[2] = f"{percent(prospect.chance or 0.0)}%"
            highest = None if self.ceiling is None else self.ceiling[call.strain]
            row[5] = "-" if highest is None else str(highest)
        return [*row, self.because(call).text]

    @property
    def compared(self) -> Mapping[Call, Prospect]:
        """A pass, a double and one bid of each strain, highest average first.

        The bid is the one recommended or, in other strains, the best on average.
        """
        rows: dict[Call, Prospect] = {PASS: self.staying}
        rows.update(self.doubling.items())
        for strain in Strain:
            bids = [bid for bid in self.sufficient if bid.strain is strain]
            if bids:
                best = max(bids, key=lambda bid: (self.bids[bid].expected, -bid.level))
                chosen = self.call
                best = chosen if isinstance(chosen, Bid) and chosen.strain is strain else best
                rows[best] = self.bids[best]
        return {call: rows[call] for call in sorted(rows, key=lambda call: -rows[call].expected)}

    @property
    def seat(self) -> Seat:
        """Who is advised: the next to call."""
        return caller(self.auction)

    @property
    def call(self) -> Call:
        """The call of the neutral player, with the highest expectation."""
        return self.neutral.call

    @property
    def reason(self) -> str:
        """Why that call."""
        return self.neutral.reason

    @property
    def sufficient(self) -> tuple[Bid, ...]:
        """The bids that can be made now."""
        return tuple(call for call in self.auction.legal if isinstance(call, Bid))

    @property
    def offered(self) -> Mapping[Bid, Prospect]:
        """The bids that can be made now; more of one's own strain is no way out of a double."""
        last, own = self.auction.last_bid, self.auction.bidder is self.auction.turn
        barred = last.strain if last and own else None
        return {bid: self.bids[bid] for bid in self.sufficient if bid.strain is not barred}

    @property
    def staying(self) -> Prospect:
        """What a pass is worth: what silence brings or, if that is not known, what stands."""
        return self.passing if self.silence is None else self.silence

    def because(self, call: Call | str) -> Because:
        """What in the hand speaks about a call, in the words of bridge."""
        known = parse_call(call) if isinstance(call, str) else call
        return because(self.hand, known, self.auction.last_bid)

    def prospect(self, call: Call) -> Prospect:
        """The prospect of a call."""
        if isinstance(call, Bid):
            return self.bids[call]
        return self.passing if call is PASS else self.doubling[call]


def parse_auction(calls: str | Iterable[Call | str], *, doubles: bool = False) -> Auction:
    """Read the calls so far; the hand's owner calls next. An impossible auction is an error.

    Doubles are played if `doubles` says so, or if there is one among the calls.

    Examples:
        >>> auction = parse_auction("1H pass")
        >>> auction.turn is OWN, str(auction.last_bid), parse_auction("1NT X").doubles
        (True, '1♥', True)
    """
    return auction_of(parse_calls(calls), doubles=doubles)


def parse_vulnerable(
    given: bool | str | Iterable[Seat], auction: Auction, scheme: Scheme
) -> tuple[Seat, ...]:
    """The vulnerable players: `me`, `left`, `right`, `all` or `none`, or seats; True is oneself.

    Examples:
        >>> from tribridge.game.scoring import find_scheme
        >>> parse_vulnerable("me, left", Auction(Seat.SOUTH), find_scheme("contract"))
        (Seat.NORTH, Seat.SOUTH)
    """
    seat = caller(auction)
    named = {"me": {seat}, "left": {seat.left}, "right": {seat.right}, "all": set(Seat)} | {
        "none": set()
    }
    chosen: set[Seat] = set()
    if isinstance(given, bool):
        chosen = {seat} if given else set()
    elif isinstance(given, str):
        for word in given.lower().replace(",", " ").split():
            if word not in named:
                raise FormatError(
                    f"cannot read vulnerable {shown(word)}: expected me, left, right, all or none"
                )
            chosen |= named[word]
    else:
        chosen = set(map(Seat, given))
    if chosen and scheme.vulnerable is None:
        raise SettingError(
            f"nobody is vulnerable under the scheme {scheme.name}: contract has vulnerability"
        )
    return tuple(each for each in Seat if each in chosen)


def players_named(seats: Sequence[Seat], own: Seat) -> list[str]:
    """Players in the words of one of them."""
    return [name for name, seat in players(own).items() if seat in seats]


def auction_of(calls: Sequence[Call], *, doubles: bool = False) -> Auction:
    """The auction of some calls, in which the hand's owner is the next to call."""
    doubles = doubles or DOUBLE in calls or REDOUBLE in calls
    auction = Auction(OWN.after(-len(calls)), doubles=doubles)
    for at, call in enumerate(calls, 1):
        reason = auction.refusal(call)
        if reason is not None:
            raise IllegalActionError(f"impossible auction: call {at}, {call_name(call)}: {reason}")
        auction = auction.apply_unchecked(call)
    caller(auction)
    return auction


def advise(
    hand: Hand,
    dummy: Hand | None = None,
    auction: Auction | None = None,
    *,
    scheme: Scheme,
    kind: str = DEFAULT,
    caution: float = CAUTION,
    samples: int = SAMPLES,
    seed: int = 1,
    defence: int = 0,
    rubber: RubberState | None = None,
    vulnerable: Sequence[Seat] = (),
) -> Advice:
    """Advise the next player to call, from their hand (alone or with dummy) and the auction.

    In a rubber, its laws replace the scheme, and its standing counts; outside one, players may be
    `vulnerable`.

    `defence` is the number of layouts of the standing contract that the network which sees all
    hands values for a pass or a double (`DEFENCE` is a good number; 0 uses the forecast).
    """
    check_pair(hand, dummy)
    if not 0 <= caution <= 1:
        raise SettingError(f"the caution must be 0 (neutral) to 1, not {caution}")
    if defence < 0:
        raise SettingError(f"the number of defence layouts must be 0 or more, not {defence}")
    auction = auction_of(()) if auction is None else auction
    seat = caller(auction)
    defending = auction.bidder is not None and auction.bidder is not seat
    scoring: Scoring = scheme.at_risk(seat in vulnerable)
    standing: Scoring = scheme.at_risk(auction.bidder in vulnerable)
    if rubber is not None:
        scheme = rubber.laws.scheme
        opponent = auction.bidder if defending else None
        scoring = standing = RubberPayoffs(rubber, seat, hand, dummy, opponent)
    forecaster = find_forecaster(kind)
    own = np.array([hand.mask], np.uint64)
    other = None if dummy is None else np.array([dummy.mask], np.uint64)
    effective, passing = None, NOTHING
    doubling: dict[Mark, Prospect] = {}
    if auction.calls:
        rng = np.random.default_rng(seed)
        layouts = layouts_of(hand, dummy, auction, kind, rng, samples)
        effective = layouts.effective
    if other is not None:
        chances = _two(forecaster, own, other)[0]
    elif auction.calls:
        if samples > _FORECAST:
            some = drawn(layouts, _FORECAST, rng)
            chances = _two(forecaster, some[:, OWN], some[:, HIDDEN]).mean(axis=0)
        else:
            pairs = layouts.deals[:, OWN], layouts.deals[:, HIDDEN]
            chances = np.tensordot(layouts.weights, _two(forecaster, *pairs), 1)
    else:
        chances = possible(forecaster.from_hand(own), own)[0]
    chances = chances / chances.sum(axis=-1, keepdims=True)
    own_bid = auction.bidder is seat
    if auction.last_bid is not None:
        if defence:
            deals = chairs(replace(layouts, deals=drawn(layouts, defence, rng)))
            worth = _values(auction, standing, own_bid)
            tricks = valued(deals, auction, worth if own_bid else -worth)
        else:
            tricks = forecast_standing(layouts, auction, kind)
        tricks = tricks / tricks.sum()
        passing = _standing(tricks, auction, standing, own_bid)
        doubling = {
            call: _standing(tricks, auction.apply_unchecked(call), standing, own_bid)
            for call in auction.legal
            if call in (DOUBLE, REDOUBLE)
        }
    bids = _bids(chances, scoring, 2 if own_bid else 1)
    paper = algorithm1(hand) if dummy is None else algorithm2(hand, dummy)
    barred = auction.last_bid.strain if auction.last_bid and own_bid else None
    offered = {
        call: bids[call]
        for call in auction.legal
        if isinstance(call, Bid) and call.strain is not barred
    }
    return Advice(
        vulnerable=tuple(vulnerable),
        hand=hand,
        dummy=dummy,
        auction=auction,
        scheme=scheme,
        kind=kind,
        caution=caution,
        forecasts=distributions(chances),
        bids=bids,
        passing=passing,
        doubling=doubling,
        neutral=recommend(offered, passing, own=own_bid, doubling=doubling),
        cautious=recommend(offered, passing, caution, own=own_bid, doubling=doubling),
        paper=paper,
        paper_call=_paper_call(paper, auction),
        effective=effective,
        defended=defence if auction.last_bid else 0,
        rubber=rubber,
    )


def doubled_bids(advice: Advice) -> Mapping[Bid, Prospect]:
    """Every bid with its prospect if it becomes the contract and is doubled."""
    seat = caller(advice.auction)
    scoring: Scoring = advice.scheme.at_risk(seat in advice.vulnerable)
    if advice.rubber is not None:
        scoring = RubberPayoffs(advice.rubber, seat, advice.hand, advice.dummy)
    return _bids(np.array([d.chances for d in advice.forecasts.values()]), scoring, 2)


def _two(forecaster: Forecaster, hands: U64, dummies: U64) -> F64:
    return possible(forecaster.from_pair(hands, dummies), hands, dummies)


def _bids(chances: F64, scheme: Scoring, factor: int) -> dict[Bid, Prospect]:
    """All bids with their prospects, from chances (5, 14)."""
    expected, spread, worst = prospects(chances[:, None, :], bid_values(scheme, factor))
    made = np.cumsum(chances[:, ::-1], axis=1)[:, ::-1]
    return {
        Bid(level, strain): Prospect(
            min(1.0, float(made[strain, _BOOK + level])),
            float(expected[strain, level - 1]),
            float(spread[strain, level - 1]),
            float(worst[strain, level - 1]),
        )
        for level in range(1, LEVELS + 1)
        for strain in Strain
    }


def _values(auction: Auction, scoring: Scoring, own: bool) -> F64:
    """What the caller gets for each number of tricks in the bid that stands, `own` or not."""
    assert auction.last_bid is not None
    values = contract_values if own else defence_values
    return values(scoring, auction.last_bid, auction.factor)


def _standing(chances: F64, auction: Auction, scoring: Scoring, own: bool) -> Prospect:
    """The prospect of playing the bid that stands, or of letting an opponent play it."""
    assert auction.last_bid is not None
    expected, spread, worst = prospects(chances, _values(auction, scoring, own))
    made = float(min(1.0, chances[_BOOK + auction.last_bid.level :].sum()))
    return Prospect(made, float(expected), float(spread), float(worst))


def _paper_call(result: Result, auction: Auction) -> Call:
    """The paper's bid: notrump at the level of the captures minus six, if that is sufficient."""
    level = min(result.captures - _BOOK, LEVELS)
    if level < 1:
        return PASS
    bid = Bid(level, Strain.NOTRUMP)
    standing = auction.last_bid
    return bid if standing is None or bid > standing else PASS
