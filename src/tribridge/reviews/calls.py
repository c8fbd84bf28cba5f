"""Calls: the points that each call should earn, by the advice for its player's hand.

The advice knows the caller's hand and the auction so far, values a bid as if it became the contract
and a pass as if the standing bid did, and samples the other hands by the calls. It covers the
full deck. The best call is the one advised: of doubles, the advice asks for a margin.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from math import sqrt
from typing import Final

from tribridge.advice.calls import Advice, advise
from tribridge.advice.prospects import Scoring, contract_values, defence_values
from tribridge.advice.rubber_payoffs import RubberPayoffs
from tribridge.cards.cards import FULL_DECK, Card, Strain
from tribridge.cards.deals import Deal, Seat
from tribridge.common.sentences import Sentence
from tribridge.double_dummy.solving import DoubleDummy
from tribridge.game.auction import PASS, Bid, Call
from tribridge.game.scoring import Scheme
from tribridge.game.table import Action, Table
from tribridge.game.tricks import chair_hands
from tribridge.game.views import View
from tribridge.reviews import wording
from tribridge.reviews.values import EQUAL, Judgement, Luck, Option, Verdict

SMALL: Final = 0.2
LARGE: Final = 0.5
"""The least loss of an inaccuracy and of a mistake, as a share of the spread of the points.

The spread makes them the same for every scheme. They are generous: the advice does not predict
further calls."""
_SAMPLES: Final = 1000
"""Layouts dealt to value a call: a quarter of those of advice on its own."""


def judge_call(
    number: int, view: View, call: Call, scheme: Scheme, defence: int, seed: int
) -> Judgement:
    """The verdict on a call, from its player's view alone; in a rubber, its standing counts.

    `defence` layouts of a standing bid are valued for a pass.
    """
    assert view.seat is not None
    judgement = Judgement(
        number=number, seat=view.seat, chair=None, action=call, verdict=Verdict.UNJUDGED
    )
    if len(view.legal) == 1:
        return replace(judgement, verdict=Verdict.FORCED, why=(wording.only_call(call),))
    if view.deck != FULL_DECK:
        return replace(judgement, why=(Sentence(wording.FULL_DECK_ONLY),))
    advice = advice_on(view, scheme, _SAMPLES, defence, seed)
    options = _options(advice)
    best = options[0]
    chosen = next(one for one in options if one.action == call)
    scale = max(advice.prospect(one).spread for one in (advice.call, call)) or 1.0
    judgement = replace(
        judgement,
        options=options,
        verdict=chosen.verdict(SMALL * scale, LARGE * scale),
        expected=best.expected,
        layouts=advice.defended or int(advice.effective or 0),
    )
    why = wording.call_reason(judgement, best, chosen, advice.neutral.why)
    return replace(judgement, why=why)


def advice_on(view: View, scheme: Scheme, samples: int, defence: int, seed: int) -> Advice:
    """The advice for the player of a view; in a rubber, its standing counts."""
    return advise(
        view.dealt, None, view.auction, scheme=scheme, samples=samples, defence=defence, seed=seed,
        rubber=view.rubber, vulnerable=view.vulnerable,
    )  # fmt: skip


def _options(advice: Advice) -> tuple[Option, ...]:
    """All legal calls: the one advised, then the others by their expectation."""
    best, expected = advice.call, advice.prospect(advice.call).expected
    calls: list[Call] = list(advice.auction.legal)
    calls.sort(key=lambda call: (call != best, -advice.prospect(call).expected))
    options = []
    for call in calls:
        points = advice.prospect(call).expected
        error = 0.0 if call == best else sqrt(_variance(advice, best) + _variance(advice, call))
        loss = expected - points
        worth = points, loss if loss >= EQUAL * advice.prospect(call).spread else 0.0, error
        options.append(Option(call, *worth, *worth))
    return tuple(options)


def _variance(advice: Advice, call: Call) -> float:
    """The sampling variance of a call's expectation."""
    solved = advice.defended if not isinstance(call, Bid) else 0
    layouts = solved or advice.effective
    return advice.prospect(call).spread ** 2 / layouts if layouts else 0.0


def settle_call(judgement: Judgement, table: Table, scheme: Scheme) -> Judgement:
    """The judgement beside double dummy on the actual deal, each call valued as by the advice.

    A right call is compared with the other course (a bid or a double with passing, a pass with the
    best of the others), a wrong one with the best call. A pass is never unlucky: some bid nearly
    always gains against it when all cards are seen.
    """
    chosen = judgement.chosen
    if chosen is None:
        return judgement
    options = tuple(
        replace(one, actual=points_of(one.action, judgement.seat, table, scheme))
        for one in judgement.options
    )
    settled = {one.action: one.actual or 0.0 for one in options}
    if judgement.verdict.wrong:
        other = options[0]
    elif chosen.action is not PASS:
        other = next(one for one in options if one.action is PASS)
    else:
        other = next((one for one in options if one.action is not PASS), options[0])
    cost = max(0.0, settled[other.action] - settled[chosen.action])
    luck, why = None, judgement.why
    if cost and judgement.verdict.right and chosen.action is not PASS:
        luck = Luck.BAD
    elif not cost and judgement.verdict.wrong:
        luck = Luck.LUCKY
    if luck is not None:
        why += (wording.call_luck(luck, cost, other.action),)
    elif cost and judgement.verdict.wrong:
        why += (wording.call_cost(cost, other.action),)
    return replace(judgement, options=options, luck=luck, cost=cost, points_cost=cost, why=why)


def points_of(
    call: Action,
    seat: Seat,
    table: Table,
    scheme: Scheme,
    tricks: Callable[[Deal, Seat, Bid], int] | None = None,
) -> float:
    """Points of a call if it, or else the standing bid, became the contract.

    `tricks` says what a declarer takes in a bid; by default double dummy does.
    """
    tricks = tricks or _tricks
    assert not isinstance(call, Card)
    auction, deal = table.auction, table.deal
    bid, bidder = auction.last_bid, auction.bidder
    declarer = seat if isinstance(call, Bid) else bidder
    scoring: Scoring = scheme.at_risk(declarer in table.vulnerable)
    if table.rubber is not None:
        opponent = None if bidder is seat else bidder
        scoring = RubberPayoffs(table.rubber, seat, deal.hands[seat], opponent=opponent)
    if isinstance(call, Bid):
        factor = 2 if bidder is seat else 1  # as in the advice
        return float(contract_values(scoring, call, factor)[tricks(deal, seat, call)])
    if bid is None or bidder is None:
        return 0.0
    values = contract_values if bidder is seat else defence_values
    factor = auction.apply_unchecked(call).factor
    return float(values(scoring, bid, factor)[tricks(deal, bidder, bid)])


def _tricks(deal: Deal, declarer: Seat, bid: Bid) -> int:
    return _double_dummy(deal, declarer, bid.strain)


@lru_cache(maxsize=64)
def _double_dummy(deal: Deal, declarer: Seat, strain: Strain) -> int:
    return DoubleDummy(deal.deck).tricks(chair_hands(deal, declarer), strain)
