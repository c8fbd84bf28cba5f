"""What the network that learned from people sees of a table.

The experts' boards were bid by four and scored at duplicate, so that network has read of no other
auction than the one that sets a contract, and of no other stakes than these: making the contract
is worth a swing, every other trick a little. Whatever a table plays for, it is shown these.
"""

from __future__ import annotations

from typing import Final

from tribridge.common.arrays import Array, namespace
from tribridge.networks.auction import set_auction
from tribridge.networks.play import SWING, Numbers, Steps, numbers_of

ANY_TRICK: Final = 24
"""What a trick is worth that does not decide the contract, in 1/`SWING` of a swing."""
_BEFORE_AUCTION: Final = 9
"""Numbers of an observation before those of the auction."""


def steps_for(level: int) -> Steps:
    """What each further trick is worth in a contract of this level."""
    return tuple(SWING if tricks == level + 5 else ANY_TRICK for tricks in range(13))


def numbers_for(seen: Numbers) -> Numbers:
    """The numbers of an observation with the auction that sets the contract."""
    bid = 1 << 5 * (seen.level - 1) + seen.strain
    return Numbers(*seen[:_BEFORE_AUCTION], bid, 0, 0, 0, 2 * bid, 2 * bid)


def shown(numbers: Array) -> Array:
    """The same of many observations (n, 15 or more), with the steps behind: (n, 28)."""
    xp, seen = namespace(numbers), numbers_of(numbers)
    decides = xp.arange(13, device=numbers.device) == seen.level[:, None] + 5
    steps = xp.where(decides, SWING, ANY_TRICK)
    return xp.concat(
        [numbers[:, :_BEFORE_AUCTION], *set_auction(seen.level, seen.strain), steps], 1
    )
