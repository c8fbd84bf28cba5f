"""How far the calls of a table are trusted: the model of calls, calibrated by scheme and level.

The calls of one player are not independent given the hand: who is optimistic once is optimistic
again, and a long auction says less than the product of its calls. So the chance of each call is
raised to a power, below 1 almost everywhere, which depends on how the table scores and on the level
that the auction has reached. `python -m benchmarks.calibration fit` chose the powers by the log
score of the unseen cards, on auctions of `learned` on deals of seed 910, among powers from 0.1 to
1.6 at level 1 that change by up to 0.4 a level; `score` judges them on deals of seed 911.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tribridge.beliefs.models import call_model
from tribridge.beliefs.posterior import Beliefs
from tribridge.game.scoring import ALIASES
from tribridge.game.views import View

TRUST: Final[Mapping[str, tuple[float, float]]] = {
    "auction-tricks": (1.3, -0.34),
    "old": (1.6, -0.4),
    "new": (1.0, -0.2),
    "contract": (0.7, 0.0),
    "auction-rubber": (0.7, -0.06),
    "auction-rubber-games": (0.5, 0.0),
    "whist-club": (0.5, 0.0),
    "contract-rubber": (0.7, 0.0),
}
"""For each scheme and each set of laws: the power at level 1, and what each level more adds."""
OTHERS: Final = (0.9, -0.1)
"""The same for schemes and laws of a user's own: fitted to all of these together."""
LEAST: Final = 0.1
"""No power is lower, however high the bidding went."""


def scoring_of(view: View) -> str:
    """What a table is scored by: the name of a scheme, or of the laws of a rubber."""
    if view.rubber is not None:
        return view.rubber.laws.name
    name = "auction" if view.scheme is None else view.scheme.name
    return ALIASES.get(name, name)


def call_trust(view: View) -> float:
    """The power of the chances of the calls, by the scoring and the level of the last bid."""
    last = view.auction.last_bid
    return trust_at(TRUST.get(scoring_of(view), OTHERS), 1 if last is None else last.level)


def trust_at(line: tuple[float, float], level: int) -> float:
    """A line at a level."""
    first, slope = line
    return max(LEAST, first + slope * (level - 1))


def table_beliefs(view: View) -> Beliefs:
    """What a seat believes at a table, by the calibrated model of calls."""
    return Beliefs(view, call_model(view), trust=call_trust(view))
