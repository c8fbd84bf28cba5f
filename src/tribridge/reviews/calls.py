"""Calls: the points that each call should earn, if strong players go on with the auction.

The calls that are compared are the one made and those that a hint values (`choices`). Each is
valued by the auctions that it leads to (`learned.auctions`), over layouts that the player could
imagine. Calls are judged with the full deck.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

import numpy as np

from tribridge.advice.prospects import Scoring, contract_values, defence_values
from tribridge.advice.rubber_payoffs import RubberPayoffs
from tribridge.cards.cards import FULL_DECK, Card, Strain
from tribridge.cards.deals import Deal, Seat
from tribridge.common.sentences import Sentence, Words
from tribridge.double_dummy.solving import DoubleDummy
from tribridge.game.auction import PASS, Bid, Call
from tribridge.game.scoring import Scheme
from tribridge.game.table import Action, Table
from tribridge.game.tricks import chair_hands
from tribridge.game.views import View
from tribridge.networks.stakes import UNIT, Game
from tribridge.reviews import wording
from tribridge.reviews.values import EQUAL, Judgement, Luck, Option, Verdict, better
from tribridge.strategies import choices
from tribridge.strategies.learned.auctions import (
    LAYOUTS,
    CallValues,
    End,
    actual_ends,
    game_of,
    preferred,
    value_calls,
)

SMALL: Final = 0.2
LARGE: Final = 0.5
"""The least loss of an inaccuracy and of a mistake, as a share of the spread of the points.

The spread makes them the same for every scheme."""


def judge_call(
    number: int, view: View, call: Call, scheme: Scheme, layouts: int, seed: int
) -> Judgement:
    """The verdict on a call, from its player's view alone; in a rubber, its standing counts."""
    assert view.seat is not None
    judgement = Judgement(
        number=number, seat=view.seat, chair=None, action=call, verdict=Verdict.UNJUDGED
    )
    if len(view.legal) == 1:
        return replace(judgement, verdict=Verdict.FORCED, why=(wording.only_call(call),))
    if view.deck != FULL_DECK:
        return replace(judgement, why=(Sentence(wording.FULL_DECK_ONLY),))
    game, view = game_of(view, scheme), replace(view, scheme=scheme)
    calls = choices.named_calls(view, choices.advice_on(view), call)
    count = min(layouts, LAYOUTS)
    values = value_calls(view, calls, game, count, np.random.default_rng(seed))
    options = _options(values)
    expected = options[0].expected
    chosen = next(option for option in options if option.action == call)
    verdict = chosen.verdict(*_margins(values, call))
    if verdict.wrong:
        wished = preferred(view, game, 1)[0]
        options = better(options, wished, *_margins(values, wished))
    judgement = replace(
        judgement,
        options=options,
        verdict=verdict,
        expected=expected,
        layouts=round(values.effective),
    )
    why = wording.call_reason(judgement, options[0], chosen)
    if verdict.wrong:
        why += (wording.said_for(options[0].action, _said_for(view, options, values)),)
    return replace(judgement, why=why)


def _margins(values: CallValues, call: Call) -> tuple[float, float]:
    """The least points that a call loses as an inaccuracy and as a mistake."""
    scale = max(values.spread(values.best), values.spread(call)) or 1.0
    return SMALL * scale, LARGE * scale


def _said_for(view: View, options: tuple[Option, ...], values: CallValues) -> Words:
    """What a hint says of the best of some calls."""
    points = {
        option.action: option.expected for option in options if not isinstance(option.action, Card)
    }
    return choices.ValuedCalls.of(view, points, values).reason(next(iter(points)))


def _options(values: CallValues) -> tuple[Option, ...]:
    """The calls that were valued, best first."""
    means = values.points.mean(0)
    first = values.calls.index(values.best)
    options = []
    for at in sorted(range(len(means)), key=lambda at: (at != first, -means[at])):
        gains = values.points[:, first] - values.points[:, at]
        loss, spread = float(gains.mean()), float(values.points[:, at].std())
        loss = loss if loss >= EQUAL * spread else 0.0
        worth = float(means[at]), loss, values.error(values.calls[at])
        options.append(Option(values.calls[at], *worth, *worth))
    return tuple(options)


def settle_call(
    judgement: Judgement, table: Table, scheme: Scheme, later: Sequence[Call] = ()
) -> Judgement:
    """The judgement beside the actual deal: the contracts that the calls lead to, double dummy.

    A call whose player then only passed led to the contract of the auction, of which `later` are
    the calls that followed; after all others, the network bids on.

    A right call is compared with the other course (a bid or a double with passing, a pass with the
    best of the others), a wrong one with the best call. A pass is never unlucky: some bid nearly
    always gains against it when all cards are seen; nor is a bid that brings something, or about
    what it should bring on average. What an unlucky one cost is no more than what it falls short of
    that: the rest was to be expected. No call is lucky if a pass was better, and of one after which
    its player bid again, or a sound one that was overcalled, nothing is said.
    """
    chosen = judgement.chosen
    if chosen is None:
        return judgement
    calls = [option.action for option in judgement.options if not isinstance(option.action, Card)]
    game = game_of(table, scheme)
    reached = actual_ends(table, calls, game, double_dummy)
    ends: dict[Action, End] = dict(zip(calls, reached, strict=True))
    assert not isinstance(chosen.action, Card)
    went = _as_it_went(table, chosen.action, later, game)
    settled: dict[Action, float] = {
        call: went if call == chosen.action and went is not None else end.points
        for call, end in ends.items()
    }
    options = tuple(replace(option, actual=settled[option.action]) for option in judgement.options)
    if judgement.verdict.wrong:
        other = options[0].action
    elif chosen.action is not PASS:
        other = PASS
    else:
        other = next((call for call in calls if call is not PASS), options[0].action)
    cost = max(0.0, settled[other] - settled[chosen.action])
    luck, why = None, judgement.why
    passing = settled[PASS] - settled[chosen.action]
    overcalled = any(isinstance(one, Bid) for one in later)
    if judgement.verdict.wrong and not (later and went is None):
        luck = None if cost or passing > 0 else Luck.LUCKY
        if luck is None:
            instead = other if cost else PASS
            why += (wording.call_cost(cost or passing, instead, ends[instead]),)
    elif judgement.verdict.right and chosen.action is not PASS and not overcalled:
        short = chosen.expected - settled[chosen.action]
        unlucky = cost and settled[chosen.action] < 0 and short >= LARGE * game.unit() / UNIT
        luck = Luck.BAD if unlucky else None
    if luck is not None:
        why += (wording.call_luck(luck, cost, other, ends[other]),)
    if luck is Luck.BAD:
        cost = min(cost, short)
    return replace(judgement, options=options, luck=luck, cost=cost, points_cost=cost, why=why)


def _as_it_went(table: Table, call: Call, later: Sequence[Call], game: Game) -> float | None:
    """What a call brought its player in the contract that was reached, double dummy.

    None if that is not known, or if the player bid or doubled again.
    """
    seat, before, last = table.turn, table, call
    for one in later:
        before, last = before.apply(last), one
        if before.turn is seat and one is not PASS:
            return None
    if not before.auction.apply_unchecked(last).over:
        return None
    return actual_ends(before, [last], game, double_dummy, seat)[0].points


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
    return double_dummy(deal, declarer, bid.strain)


@lru_cache(maxsize=64)
def double_dummy(deal: Deal, declarer: Seat, strain: Strain) -> int:
    """What a declarer takes in a strain with best play by everyone."""
    return DoubleDummy(deal.deck).tricks(chair_hands(deal, declarer), strain)
