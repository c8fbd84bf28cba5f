"""The call to recommend to a person, and how high a strain may go.

`calls` values a bid as if it became the contract. What a pass is worth depends on the others: they
bid on, whether the player has spoken or not. So a pass is worth what the player gets by staying
silent from now on (`silence`), and a bid is recommended if it is worth more than that.

**Caution** moves values towards the mean of the worst 5%, as in `calls`. A bid that makes at least
90% of the time and gains on average is not passed out of caution.

**Ties.** Of bids in one strain that average the same, the highest is recommended: it leaves the
others no room. Thirteen solid spades are 7♠.

**A double** must gain `DOUBLE_MARGIN` points on all other calls, valued by the same layouts. No
measurement stands behind redoubles: one is recommended if the contract is certain to make.

**The ceiling** of a strain is its highest bid that is worth more than silence; where doubles are
played, also if the others double whatever gains them points.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from tribridge.advice.calls import Advice, doubled_bids
from tribridge.advice.prospects import (
    DOUBLE_MARGIN,
    Prospect,
    Recommendation,
    averages,
    beside,
    makes,
)
from tribridge.cards.cards import Strain
from tribridge.cards.deals import ByStrain
from tribridge.common.sentences import Sentence
from tribridge.forecast.distribution import percent
from tribridge.game.auction import PASS, REDOUBLE, Bid, said

SAME: Final = 0.05
"""Points: what averages the same, to a tenth."""
CERTAIN: Final = 0.9995
SAFE: Final = 0.9
"""A contract that makes so often is no risk to be afraid of."""

_SILENT: Final = (
    "Staying silent averages {passing}; your best bid, {bid}, would make {chance}% of the time and "
    "average {value}."
)
_BID: Final = "It makes {chance}% of the time and averages {value}; staying silent {passing}."
_BID_OR_BID: Final = (
    "It makes {chance}% of the time and averages {value}; {other} would average {second}, staying "
    "silent {passing}."
)
_SHUT_OUT: Final = "{why} A lower bid would not be worth more and would let the others bid."
_MARK: Final = "{contract}, and this averages {value}; a pass {passing}."
_NO_BID: Final = "No higher bid is available."


def counsel(advice: Advice, silence: Prospect | None) -> Advice:
    """The advice with what silence brings, and the calls recommended in view of it.

    Without it (dummy is known, or quick advice), a pass is worth what the standing bid brings.
    """
    known = replace(advice, silence=silence)
    return replace(
        known,
        neutral=_suggest(known, 0.0),
        cautious=_suggest(known, advice.caution),
        ceiling=_ceiling(known),
    )


def _suggest(advice: Advice, caution: float) -> Recommendation:
    offered, staying = advice.offered, advice.staying
    ranked = sorted(offered, key=lambda bid: (-offered[bid].value(caution), bid))
    best = ranked[0] if ranked else None
    worth = [staying.value(caution)] + [offered[bid].value(caution) for bid in ranked[:1]]
    for mark, prospect in advice.doubling.items():
        certain = mark is not REDOUBLE or (prospect.chance or 0.0) >= CERTAIN
        needed = max(*worth, advice.passing.value(caution)) + DOUBLE_MARGIN
        if certain and prospect.value(caution) > needed:
            return Recommendation(mark, _why_mark(advice, prospect, caution))
    if best is None:
        return Recommendation(PASS, Sentence(_NO_BID))
    if worth[1] <= worth[0]:
        safe = [bid for bid in ranked if _safe(offered[bid], staying)]
        if not (caution and safe):
            return Recommendation(PASS, _why_pass(best, offered[best], staying, caution))
        best = safe[0]
    high = _highest(best, offered, caution)
    other = next((bid for bid in ranked if bid.strain is not best.strain), None)
    why = _why_bid(offered[high], other, offered, staying, caution)
    if high != best:
        why = Sentence(_SHUT_OUT, {"why": why})
    return Recommendation(high, why)


def _safe(bid: Prospect, staying: Prospect) -> bool:
    """Whether a bid gains on average and rarely fails."""
    return (bid.chance or 0.0) >= SAFE and bid.expected > staying.expected


def _highest(best: Bid, offered: Mapping[Bid, Prospect], caution: float) -> Bid:
    """The highest bid of a strain that is worth the same as the best."""
    worth = offered[best].value(caution) - SAME
    same = [bid for bid in offered if bid.strain is best.strain]
    return max(bid for bid in same if offered[bid].value(caution) >= worth)


def _ceiling(advice: Advice) -> ByStrain[Bid | None]:
    worth = advice.staying.expected
    doubled = doubled_bids(advice) if advice.auction.doubles else advice.bids
    pays: dict[Strain, Bid | None] = dict.fromkeys(Strain)
    for bid in sorted(advice.offered):
        if min(advice.bids[bid].expected, doubled[bid].expected) > worth:
            pays[bid.strain] = bid
    return ByStrain(pays)


def _why_mark(advice: Advice, prospect: Prospect, caution: float) -> Sentence:
    own = advice.auction.bidder is advice.auction.turn
    return Sentence(
        _MARK,
        {
            "contract": makes(prospect, own),
            "value": averages(prospect, caution),
            "passing": beside(advice.passing, caution),
        },
    )


def _why_pass(best: Bid, bid: Prospect, staying: Prospect, caution: float) -> Sentence:
    return Sentence(
        _SILENT,
        {
            "passing": averages(staying, caution),
            "bid": said(best),
            "chance": percent(bid.chance or 0.0),
            "value": beside(bid, caution),
        },
    )


def _why_bid(
    bid: Prospect,
    other: Bid | None,
    offered: Mapping[Bid, Prospect],
    staying: Prospect,
    caution: float,
) -> Sentence:
    fields: dict[str, str | Sentence] = {
        "chance": percent(bid.chance or 0.0),
        "value": averages(bid, caution),
        "passing": beside(staying, caution),
    }
    if other is None:
        return Sentence(_BID, fields)
    second = {"other": said(other), "second": beside(offered[other], caution)}
    return Sentence(_BID_OR_BID, fields | second)
