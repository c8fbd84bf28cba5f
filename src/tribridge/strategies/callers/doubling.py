"""Doubles and redoubles for a caller that does not think of them itself.

Before it passes, the bid that stands is valued by `advice.calls`: declarer's tricks over layouts
weighted by the auction, with the caller's own cards taken into account. If doubling the stakes
should gain more than `DOUBLE_MARGIN` points over a pass, it doubles or redoubles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tribridge.cards import FULL_DECK
from tribridge.game.auction import DOUBLE, PASS, REDOUBLE
from tribridge.game.scoring import find_scheme
from tribridge.game.views import View
from tribridge.strategies.protocol import Choice

if TYPE_CHECKING:
    from numpy.random import Generator

SAMPLES: Final = 200


def or_double(choice: Choice, view: View, rng: Generator, scheme: str = "auction") -> Choice:
    """The choice, or a double or redouble in place of a pass."""
    legal = view.auction.legal
    stakes = DOUBLE in legal or REDOUBLE in legal
    if choice.action is not PASS or not stakes or view.deck != FULL_DECK:
        return choice
    from tribridge.advice.calls import DOUBLE_MARGIN, advise

    advised = advise(
        view.dealt,
        auction=view.auction,
        scheme=find_scheme(scheme),
        samples=SAMPLES,
        seed=int(rng.integers(2**32)),
    )
    passing = advised.passing.expected
    for mark, prospect in advised.doubling.items():
        if prospect.expected > passing + DOUBLE_MARGIN:
            reason = (
                f"{view.auction.last_bid} makes {prospect.chance or 0:.0%} of the time: this "
                f"averages {prospect.expected:+.1f} points, a pass {passing:+.1f}."
            )
            return Choice(mark, reason, {"points": prospect.expected})
    return choice
