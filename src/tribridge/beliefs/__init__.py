"""Beliefs: from what a seat may see to a posterior over the hands it does not see.

A layout is a complete deal that fits a view. Arrays of layouts have shape (n, 4) and dtype uint64:
columns 0 to 3 are North, East, South and the hidden hand (dummy in the play), each the 52-bit mask
of the hand *as dealt*. `chairs` turns them into the remaining cards in chair order.

Examples:
    >>> import numpy as np
    >>> from tribridge.cards.dealer import deal
    >>> from tribridge.cards.deals import Seat
    >>> from tribridge.game import new_table, view
    >>> seen = view(new_table(deal(1, 0), Seat.NORTH), Seat.NORTH)
    >>> sample(seen, 1000, np.random.default_rng(1)).shape
    (1000, 4)
"""

from __future__ import annotations

import numpy as np

from tribridge.beliefs.evidence import Evidence as Evidence
from tribridge.beliefs.evidence import Void as Void
from tribridge.beliefs.evidence import evidence_of as evidence_of
from tribridge.beliefs.evidence import hand_at as hand_at
from tribridge.beliefs.layouts import Layouts as Layouts
from tribridge.beliefs.models import CallModel as CallModel
from tribridge.beliefs.models import CaptureCalls as CaptureCalls
from tribridge.beliefs.models import ForecastCalls as ForecastCalls
from tribridge.beliefs.models import PlayModel as PlayModel
from tribridge.beliefs.models import PointCalls as PointCalls
from tribridge.beliefs.models import RandomPlays as RandomPlays
from tribridge.beliefs.models import call_model as call_model
from tribridge.beliefs.posterior import FLOOR as FLOOR
from tribridge.beliefs.posterior import Beliefs as Beliefs
from tribridge.beliefs.posterior import Estimate as Estimate
from tribridge.beliefs.posterior import Posterior as Posterior
from tribridge.beliefs.posterior import RowBelief as RowBelief
from tribridge.beliefs.posterior import Variable as Variable
from tribridge.beliefs.trust import call_trust as call_trust
from tribridge.beliefs.trust import table_beliefs as table_beliefs
from tribridge.cards.masks import U64
from tribridge.common.errors import SettingError
from tribridge.game.tricks import Chair
from tribridge.game.views import View


def layouts_of(view: View) -> Layouts:
    """All layouts that fit a view, to be counted, indexed and sampled; hard evidence only."""
    return Layouts(evidence_of(view))


def sample(
    view: View,
    count: int,
    rng: np.random.Generator,
    *,
    calls: CallModel | None = None,
    plays: PlayModel | None = None,
    floor: float = FLOOR,
) -> U64:
    """Layouts that fit a view, (count, 4) in deal order: uniform, or weighted by the models."""
    return Beliefs(view, calls, plays, floor).sample(count, rng)


def chairs(view: View, layouts: U64) -> U64:
    """The cards left in each layout: an array (n, 4) by declarer, left, dummy and right."""
    if view.contract is None:
        raise SettingError("there are no chairs until the auction is over")
    order = [hand_at(chair, view.contract.declarer) for chair in Chair]
    result: U64 = layouts[:, order] & ~np.uint64(view.played.mask)
    return result
