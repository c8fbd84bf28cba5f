"""Algorithm 2's T for many pairs of hands, from any deck."""

from __future__ import annotations

import numpy as np

from tribridge.beliefs.bits import I64, U64
from tribridge.capture.algorithm import algorithm2
from tribridge.capture.simulation.arrays import pair
from tribridge.cards import FULL_DECK, Deck, Hand


def captures(hands: U64, dummies: U64, deck: Deck = FULL_DECK) -> I64:
    """T of each hand with its dummy; 0 if Condition A or B fails."""
    if deck == FULL_DECK:
        return pair(hands, dummies).captures
    pairs, where = np.unique(np.stack([hands, dummies], axis=1), axis=0, return_inverse=True)
    each = [algorithm2(Hand(hand), Hand(dummy), deck).captures for hand, dummy in pairs.tolist()]
    return np.array(each, dtype=np.int64)[where.reshape(-1)]
