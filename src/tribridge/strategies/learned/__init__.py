"""Strategies driven by networks trained by self-play; they need only NumPy to run."""

from __future__ import annotations

from io import BytesIO
from typing import Final

from tribridge.common.once import once
from tribridge.networks import auction, play
from tribridge.networks.network import SuitNetwork, load_network, package_weights
from tribridge.strategies.learned.releases import (
    ALL_STAKES,
    CALLER,
    CALLERS,
    FOLDER,
    PLAYER,
    PLAYERS,
)

TRICKS: Final = PLAYERS[1].file
"""The network that plays for tricks."""
SMALL: Final = "small.npz.split"
"""A small copy of it, which the search uses for many layouts at once."""
POINTS: Final = PLAYER.file
"""The network that plays for points."""
STAKES: Final = CALLER.by_scheme[ALL_STAKES]
"""The network that bids for all stakes; any other file bids for one scheme."""
_KINDS: Final = {
    SMALL: play.KIND,
    **{
        release.file: play.POINTS_KIND if release.points else play.KIND
        for release in PLAYERS.values()
    },
    **{
        file: auction.KIND if scheme else auction.STAKES_KIND
        for release in CALLERS.values()
        for scheme, file in release.by_scheme.items()
    },
}


@once
def network(name: str = TRICKS) -> SuitNetwork:
    """The network of a file in the package; anything that is not of its kind is refused."""
    file = BytesIO(package_weights(f"{FOLDER}/{name}"))
    return load_network(file, name, _KINDS.get(name, auction.KIND))
