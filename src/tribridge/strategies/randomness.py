"""The randomness of a decision, derived only from its place in the game.

Each decision has its own generator, seeded by the seed, the deal number, the seat and the number of
earlier actions. It does not depend on anything else decided in the same process, so any single
choice of any game can be reproduced.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tribridge.errors import SettingError

if TYPE_CHECKING:
    from numpy.random import Generator

    from tribridge.game.table import Table
    from tribridge.game.views import View


def decision_rng(seed: int, deal: int, seat: int, actions: int) -> Generator:
    """The generator of one decision, after `actions` calls and cards on this deal."""
    from numpy.random import PCG64, Generator, SeedSequence

    if min(seed, deal, seat, actions) < 0:
        raise SettingError(
            f"no randomness for seed {seed}, deal {deal}, seat {seat}, action {actions}: "
            "all must be 0 or more"
        )
    # Words of fixed width: no two decisions share a key.
    key = (deal & 0xFFFFFFFF, deal >> 32, int(seat), actions)
    bits = PCG64(0)
    # Copy the state only: a generator that knew its seed would reveal it, and with it the deal.
    bits.state = PCG64(SeedSequence(seed, spawn_key=key)).state
    return Generator(bits)


def actions_made(table: Table | View) -> int:
    """How many calls and cards have been made on a deal so far."""
    play = table.position
    cards = 0 if play is None else 4 * len(play.tricks) + len(play.trick)
    return len(table.auction.calls) + cards
