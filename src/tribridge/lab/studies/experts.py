"""Beside people: what cards cost double dummy in the positions that experts played.

A choice costs the tricks by which its double-dummy value is behind that of the best card, for the
side that plays it. All players are asked in the experts' own positions, so that nobody's errors
change what comes after.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from tribridge.cards.cards import Card, Strain
from tribridge.double_dummy import dds
from tribridge.game.tricks import Chair, winner

CARDS = 48
"""Cards of a board up to the last trick, in which nobody has a choice."""


def positions(
    hands: Sequence[int], cards: Sequence[int], strain: Strain
) -> Iterator[tuple[int, list[int], Chair, list[Card]]]:
    """For each card played: its number, the hands left, who led to the trick, and the trick."""
    left, leader, trick = [int(hand) for hand in hands], Chair.LEFT, list[Card]()
    for number, index in enumerate(cards):
        if index < 0 or number == CARDS:
            return
        yield number, left, leader, trick
        card = Card(int(index))
        left[(leader + len(trick)) % 4] -= card.bit
        trick.append(card)
        if len(trick) == 4:
            leader, trick = winner(leader, trick, strain.trump), []


def lost(hands: Sequence[int], cards: Sequence[int], strain: Strain) -> NDArray[np.int8]:
    """What each legal card costs at each card of a board (48, 52); -1: no choice, or not legal."""
    result = np.full((CARDS, 52), -1, np.int8)
    for number, left, leader, trick in positions(hands, cards, strain):
        chair = (leader + len(trick)) % 4
        values = dds.cards(left, strain, leader, trick)
        if len(values) == 1:
            continue
        sign = 1 if chair % 2 == 0 else -1
        best = max(sign * value for value in values.values())
        for card, value in values.items():
            result[number, card.index] = best - sign * value
    return result
