"""The versions of `learned`, as data: the weights of each.

A new version is a file in `data` and an entry here; the last entry is what plain `learned` stands
for, and the others are found by their number, as `learned@1`. A version that is here keeps its
choices (`python -m tools.choices`), because stored results name it. Version 1 is the opponent of
the benchmark and of the shipped matches; its network for `contract` plays the benchmark's task of
that name again, in a checkout alone. Superseded versions that no result needs are gone, as are the
networks of version 1 for `old` and `new`; what was measured with them says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

FOLDER: Final = "strategies/learned/data"
"""In the package; weights are named from there."""
ALL_STAKES: Final = ""
"""In place of a scheme: the network reads what contracts are worth."""


@dataclass(frozen=True, slots=True)
class PlayerRelease:
    """A version of the player."""

    version: int
    file: str
    digest: str
    """The first 12 digits of the SHA-256 hash of the NumPy file, as in stored results."""
    points: bool = True
    """Trained for points; else for tricks."""

    def __repr__(self) -> str:
        return f"<version {self.version}>"


@dataclass(frozen=True, slots=True)
class CallerRelease:
    """A version of the caller."""

    version: int
    files: tuple[tuple[str, str, str], ...]
    """Scheme, file and digest; one network for `ALL_STAKES`, or one for each of some schemes."""
    gone: tuple[str, ...] = ()
    """Schemes that it had networks for: refused, so that its name stands for no other caller."""

    @property
    def by_scheme(self) -> Mapping[str, str]:
        """The file of each scheme."""
        return {scheme: file for scheme, file, _ in self.files}

    def __repr__(self) -> str:
        return f"<version {self.version}>"


PLAYERS: Final = {
    release.version: release
    for release in (
        PlayerRelease(1, "play.npz.split", "883a8a684bfd", points=False),
        PlayerRelease(6, "points6.npz.split", "99a984dfe5f4"),
    )
}
CALLERS: Final = {
    release.version: release
    for release in (
        CallerRelease(
            1,
            (
                ("auction-tricks", "bidding.npz.split", "295e6eaa163f"),
                ("contract", "bidding-contract.npz.split", "ebb8c1ec02da"),
            ),
            gone=("old", "new"),
        ),
        CallerRelease(3, ((ALL_STAKES, "stakes3.npz.split", "1ff5c571c05c"),)),
    )
}
PLAYER: Final = list(PLAYERS.values())[-1]
CALLER: Final = list(CALLERS.values())[-1]
"""What plain `learned` stands for."""
