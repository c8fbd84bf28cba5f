"""Randomness of a decision, made from where it stands and nothing else.

A decision has its own generator, made from the seed, the number of the deal, the seat and how many
actions came before. It does not depend on what else was decided in the same process, so any single
choice of any game can be made again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tribridge.errors import SettingError

if TYPE_CHECKING:
    from numpy.random import Generator


def decision_rng(seed: int, deal: int, seat: int, actions: int) -> Generator:
    """The generator of one decision: `actions` calls and cards came before it on this deal."""
    from numpy.random import PCG64, Generator, SeedSequence

    if min(seed, deal, seat, actions) < 0:
        raise SettingError(
            f"no randomness for seed {seed}, deal {deal}, seat {seat}, action {actions}: "
            "all must be 0 or more"
        )
    # Words of fixed width: no two decisions share a key.
    key = (deal & 0xFFFFFFFF, deal >> 32, int(seat), actions)
    bits = PCG64(0)
    # The state alone: a generator that knew its seed could be asked for it, and so for the deal.
    bits.state = PCG64(SeedSequence(seed, spawn_key=key)).state
    return Generator(bits)
