"""Strategies driven by networks trained by self-play; they need only NumPy to run."""

from __future__ import annotations

from importlib import resources
from typing import Final

from tribridge.common.once import once
from tribridge.networks import auction, play
from tribridge.networks.network import SuitNetwork, load_network

TRICKS: Final = "play.npz"
"""The network that plays for tricks."""
SMALL: Final = "small.npz"
"""A small copy of it, which the search uses for many layouts at once."""
POINTS: Final = "points3.npz"
"""The network that plays for points."""
POINTS_2: Final = "points.npz"
"""The one before it, of version 2."""
STAKES: Final = "stakes3.npz"
"""The network that bids for all stakes; any other file bids for one scheme."""
STAKES_2: Final = "stakes.npz"
"""The one before it, of version 2."""
_KINDS: Final = {
    TRICKS: play.KIND, SMALL: play.KIND, POINTS: play.POINTS_KIND, POINTS_2: play.POINTS_KIND,
    STAKES: auction.STAKES_KIND, STAKES_2: auction.STAKES_KIND,
}  # fmt: skip


@once
def network(name: str = TRICKS) -> SuitNetwork:
    """The network of a file in the package; anything that is not of its kind is refused."""
    with resources.files(__package__).joinpath(f"data/{name}").open("rb") as file:
        return load_network(file, name, _KINDS.get(name, auction.KIND))
