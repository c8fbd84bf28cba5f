"""Which call to recommend from the prospects of all calls, and the reason in one sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tribridge.advice.prospects import Prospect
from tribridge.forecast.distribution import percent
from tribridge.game.auction import PASS, Bid, Call, Mark, call_name

DOUBLE_MARGIN: Final = 40.0
"""Points that a double must gain on any other call: our callers bid more soundly than the beliefs
assume, and the doubles that promise most are those of contracts that are most underestimated
(`benchmarks/doubles.py`)."""
_WORST: Final = " in the worst 5%"


@dataclass(frozen=True, slots=True)
class Recommendation:
    """A call and why."""

    call: Call
    reason: str

    def as_json(self) -> dict[str, str]:
        return {"call": call_name(self.call), "reason": self.reason}


def recommend(
    bids: Mapping[Bid, Prospect],
    passing: Prospect,
    caution: float = 0.0,
    *,
    own: bool = False,
    doubling: Mapping[Mark, Prospect] | None = None,
) -> Recommendation:
    """The call with the highest value; ties go to a pass, then to the lower bid.

    A double or redouble must gain more than `DOUBLE_MARGIN` points on all others.

    `own`: whether the bid that a pass leaves standing is the player's own.
    """
    ranked = sorted(bids, key=lambda bid: (-bids[bid].value(caution), bid))
    best = ranked[0] if ranked else None
    gain = passing.value(caution) if best is None else bids[best].value(caution)
    for mark, prospect in (doubling or {}).items():
        if prospect.value(caution) > max(gain, passing.value(caution)) + DOUBLE_MARGIN:
            return Recommendation(mark, _why_double(prospect, best, bids, passing, caution, own))
    if best is None or gain <= passing.value(caution):
        return Recommendation(PASS, _why_pass(best, bids, passing, caution, own))
    return Recommendation(best, _why_bid(best, ranked[1:], bids, passing, caution))


def _why_double(
    doubled: Prospect,
    best: Bid | None,
    bids: Mapping[Bid, Prospect],
    passing: Prospect,
    caution: float,
    own: bool,
) -> str:
    text = f"{'Your' if own else 'Their'} contract {_makes(doubled)}, and this averages "
    text += f"{doubled.expected:+.1f} points{_worst(doubled, caution, _WORST)}; passing "
    text += f"{passing.expected:+.1f}{_worst(passing, caution)}"
    if best is None:
        return f"{text}."
    return f"{text}, {best} {bids[best].expected:+.1f}{_worst(bids[best], caution)}."


def _why_pass(
    best: Bid | None, bids: Mapping[Bid, Prospect], passing: Prospect, caution: float, own: bool
) -> str:
    if best is None:
        return "No higher bid is available."
    if passing.chance is None:
        text, label = "It costs nothing", _WORST
    else:
        text, label = f"{'Your' if own else 'Their'} contract {_makes(passing)}", ""
        text += f", and passing averages {passing.expected:+.1f} points"
        text += _worst(passing, caution, _WORST)
    bid = bids[best]
    return (
        f"{text}; your best bid, {best}, {_makes(bid, 'would make')} and average "
        f"{bid.expected:+.1f}{_worst(bid, caution, label)}."
    )


def _why_bid(
    best: Bid,
    others: Sequence[Bid],
    bids: Mapping[Bid, Prospect],
    passing: Prospect,
    caution: float,
) -> str:
    bid = bids[best]
    text = f"It {_makes(bid)} and averages {bid.expected:+.1f} points"
    text += f"{_worst(bid, caution, _WORST)}; "
    if others:
        second = bids[others[0]]
        text += f"{others[0]} would average {second.expected:+.1f}{_worst(second, caution)}, "
    if passing.chance is None:
        return f"{text}passing 0."
    return f"{text}passing {passing.expected:+.1f}{_worst(passing, caution)}."


def _makes(prospect: Prospect, verb: str = "makes") -> str:
    return f"{verb} {percent(prospect.chance or 0.0)}% of the time"


def _worst(prospect: Prospect, caution: float, label: str = "") -> str:
    """The worst case, for the cautious player; the first one in a sentence has the label."""
    return f" ({prospect.worst:+.0f}{label})" if caution else ""
