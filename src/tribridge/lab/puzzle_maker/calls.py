"""Calls that make a puzzle: the points of a few calls on layouts drawn by the auction so far.

A bid is valued as if it became the contract and a pass as if the standing bid did, as by the
advice: by its network, and double dummy with playouts by the maxims.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from math import sqrt
from typing import Final

import numpy as np
from numpy.random import Generator

from tribridge.advice.calls import Advice, advise
from tribridge.advice.layouts import OWN, layouts_of
from tribridge.advice.prospects import contract_values, defence_values
from tribridge.cards.cards import Hand
from tribridge.cards.deals import HIDDEN, Deal, Seat
from tribridge.cards.masks import F64
from tribridge.forecast.kinds import DEFAULT
from tribridge.game.auction import DOUBLE, PASS, REDOUBLE, Bid, Call, Contract
from tribridge.game.position import start_play
from tribridge.game.scoring import find_scheme
from tribridge.game.table import Action, Table
from tribridge.game.views import View, view
from tribridge.lab.puzzle_maker.judging import (
    LAYOUTS,
    LOOSE,
    SOME,
    Losses,
    answers_of,
    bot_choices,
    puzzle_of,
    telling_layouts,
    tempting_answer,
)
from tribridge.lab.puzzle_maker.themes import call_theme
from tribridge.reviews.calls import points_of
from tribridge.reviews.puzzle_files import CALL_MARGIN
from tribridge.reviews.puzzles import Example, Puzzle, Source
from tribridge.reviews.themes import Theme
from tribridge.strategies.players.search.evaluation import finish

_CALLS_OFFERED: Final = 4
_CALLS_SEARCHED: Final = {True: 0.1, False: 0.03}
"""The chance that a double, or another call, is searched: whole deals take long to solve."""


def call_puzzle(
    table: Table,
    rng: Generator,
    source: Source,
    easy: float = 1.0,
    wanted: Theme | None = None,
) -> Puzzle | None:
    """The puzzle of a call that is due, if it makes one; of a theme that is wanted, every call.

    Further calls are not predicted, so only some calls are offered: the best, passing, doubling,
    and the cheapest bid of each strain, all of them clearly right or wrong.
    """
    seen = view(table, table.turn)
    drawn = rng.random() if wanted is None else 0.0
    if drawn >= max(_CALLS_SEARCHED.values()) or len(seen.legal) == 1 or table.rubber is not None:
        return None
    advice = _advise(table, seen, 200, rng)
    if wanted not in (None, call_theme(seen, advice.call)):
        return None
    offered = _offered(advice)
    bots = {"random": 0.2} | {
        name: _close(call, advice.call) for name, call in bot_choices(seen, rng).items()
    }
    agreed = all(chance > 0.5 for name, chance in bots.items() if name != "random")
    chance = _CALLS_SEARCHED[advice.call is DOUBLE] * (easy if agreed else 1.0)
    if len(offered) < 2 or drawn >= chance:
        return None
    advice = _advise(table, seen, LAYOUTS, rng)
    if _offered(advice) != offered:
        return None
    network = _call_losses(advice, offered)
    if network.groups(CALL_MARGIN, 0.0) != {offered[0]}:
        return None
    deals = _layouts(seen, advice, rng)
    few = _losses(_call_values(table, deals[:SOME], offered), offered, network.stake)
    if not few.agree(frozenset(offered[:1]), LOOSE * CALL_MARGIN, 0.0):
        return None
    values = _call_values(table, deals, offered, _played_out)
    solved, right = _losses(values, offered, network.stake), frozenset(offered[:1])
    if solved.groups(CALL_MARGIN, 0.0) != right:
        return None
    points: dict[Action, float] = dict(zip(offered, values.mean(axis=0).tolist(), strict=True))
    made: dict[Action, float] = {call: advice.prospect(call).chance or 0.0 for call in offered}
    answers = answers_of(right, points, solved, network, made)
    tempting = tempting_answer(answers, seen, rng)
    own, other = values[:, 0], values[:, list(points).index(tempting)]
    gains, share = own - other, np.full(len(own), 1 / len(own))
    return replace(
        puzzle_of(table, answers, tempting, gains, share, bots),
        stake=network.stake,
        examples=tuple(
            Example(deals[at].hands, round(float(own[at])), round(float(other[at])))
            for at in telling_layouts(gains, -gains)
        ),
        source=source,
    )


def _advise(table: Table, seen: View, defence: int, rng: Generator) -> Advice:
    scheme, seed = table.scheme or find_scheme("auction"), int(rng.integers(1 << 31))
    return advise(
        seen.dealt, None, seen.auction, scheme=scheme, samples=4 * LAYOUTS, defence=defence,
        seed=seed, rubber=seen.rubber, vulnerable=seen.vulnerable,
    )  # fmt: skip


def _offered(advice: Advice) -> list[Call]:
    """The call advised, then passing, doubling and the cheapest bid of each strain, best first."""
    stake = _stake(advice)
    cheapest: dict[object, Call] = {}
    for bid in advice.sufficient:
        cheapest.setdefault(bid.strain, bid)
    others: list[Call] = [PASS, *advice.doubling, *cheapest.values()]
    best = advice.prospect(advice.call).expected
    # A bid of the same strain as the best one, at another level, is much the same answer.
    if isinstance(advice.call, Bid):
        others = [c for c in others if not isinstance(c, Bid) or c.strain != advice.call.strain]
    ranked = sorted(
        (call for call in others if call != advice.call),
        key=lambda call: -advice.prospect(call).expected,
    )
    clear = [c for c in ranked if best - advice.prospect(c).expected >= CALL_MARGIN * stake]
    must = [call for call in (PASS, DOUBLE, REDOUBLE) if call in ranked]
    if any(call not in clear for call in must) or len(clear) < 2:
        return []
    offered: list[Call] = [call for call in clear if call in must]
    offered += [call for call in clear if call not in offered][: _CALLS_OFFERED - 1 - len(offered)]
    return [advice.call, *sorted(offered, key=clear.index)]


def _stake(advice: Advice) -> float:
    """Making the contract of the best call, or the standing one, against one down, in points."""
    call, auction = advice.call, advice.auction
    bid = call if isinstance(call, Bid) else auction.last_bid
    if bid is None:  # passing before anyone has bid: the cheapest bid
        bid = advice.sufficient[0]
    own = isinstance(call, Bid) or auction.bidder in (None, auction.turn)
    factor = 1 if isinstance(call, Bid) else auction.apply_unchecked(call).factor
    values = (contract_values if own else defence_values)(advice.scheme, bid, factor)
    needed = 6 + bid.level
    return abs(float(values[needed] - values[needed - 1]))


def _call_losses(advice: Advice, offered: Sequence[Call]) -> Losses:
    """The losses by the network's values."""
    best, count = advice.prospect(offered[0]), min(LAYOUTS, advice.effective or LAYOUTS)
    losses: dict[Action, tuple[float, float]] = {offered[0]: (0.0, 0.0)}
    for call in offered[1:]:
        own = advice.prospect(call)
        error = sqrt((best.spread**2 + own.spread**2) / count)
        losses[call] = max(0.0, best.expected - own.expected), error
    return Losses(losses, _stake(advice))


def _layouts(seen: View, advice: Advice, rng: Generator) -> list[Deal]:
    """Deals that fit what the caller knows, drawn by their weights."""
    sampled = layouts_of(seen.dealt, None, seen.auction, DEFAULT, rng, 4 * LAYOUTS)
    turn = seen.auction.turn
    assert turn is not None
    places = [turn.after(at - OWN.index).index for at in range(len(Seat))]  # of the rotated seats
    drawn = rng.choice(len(sampled.deals), size=LAYOUTS, p=sampled.weights)
    deals = []
    for row in sampled.deals[drawn].tolist():
        hands = [Hand(0)] * 4
        for at, place in enumerate(places):
            hands[place] = Hand(row[at])
        hands[HIDDEN] = Hand(row[HIDDEN])
        deals.append(Deal((hands[0], hands[1], hands[2], hands[3])))
    return deals


@lru_cache(maxsize=64)
def _played_out(deal: Deal, declarer: Seat, bid: Bid) -> int:
    """Declarer's tricks in a bid if everybody plays by the maxims."""
    return finish(start_play(deal, Contract(bid, declarer))).won


def _call_values(
    table: Table,
    deals: Sequence[Deal],
    offered: Sequence[Call],
    tricks: Callable[[Deal, Seat, Bid], int] | None = None,
) -> F64:
    """Points of each call on each deal, double dummy or with the tricks that are said."""
    seat, scheme = table.turn, table.scheme or find_scheme("auction")
    assert seat is not None
    return np.array(
        [
            [points_of(call, seat, replace(table, deal=deal), scheme, tricks) for call in offered]
            for deal in deals
        ]
    )


def _losses(values: F64, offered: Sequence[Call], stake: float) -> Losses:
    gains, count = values[:, :1] - values, len(values)
    loss = gains.mean(axis=0)
    error = np.sqrt((((gains - loss) ** 2).sum(0) + stake**2) / (count * (count - 1)))
    error[0] = 0.0
    return Losses(dict(zip(offered, zip(loss, error, strict=True), strict=True)), stake)


def _close(call: Action, best: Call) -> float:
    """1 for the best call; another level of its strain counts half."""
    same = isinstance(call, Bid) and isinstance(best, Bid) and call.strain is best.strain
    return 1.0 if call == best else 0.5 * same
