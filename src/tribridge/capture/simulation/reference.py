"""Both studies counted by the reference, one deal after the other: what every kernel must equal."""

from __future__ import annotations

import numpy as np

from tribridge.capture.algorithm import Conditions, algorithm1, algorithm2
from tribridge.capture.readings import NATURAL, Reading
from tribridge.capture.simulation.tables import A_FAILS, B_FAILS, CAPTURE_SHAPE, GAME_SHAPE, Counts
from tribridge.cards.dealer import deal


def capture_counts(seed: int, start: int, count: int) -> Counts:
    """Study `capture` by Algorithm 2 as it is written."""
    table = np.zeros(CAPTURE_SHAPE, np.int64)
    for number in range(start, start + count):
        hands = deal(seed, number).hands
        result = algorithm2(hands[0], hands[1])
        table[result.total_gap, result.captures, result.check or 0] += 1
    return table.ravel()


def game_counts(seed: int, start: int, count: int, reading: Reading = NATURAL) -> Counts:
    """Study `game`: bids by Algorithm 1 in calling order, tricks by Algorithm 2."""
    table, passed_out = np.zeros(GAME_SHAPE, np.int64), 0
    for number in range(start, start + count):
        hands = deal(seed, number).hands
        levels = [max(algorithm1(hand, reading=reading).captures - 6, 0) for hand in hands]
        declarer, last = None, 0
        for seat in range(3):
            if levels[seat] > last:
                declarer, last = seat, levels[seat]
        if declarer is None:
            passed_out += 1
            continue
        result = algorithm2(hands[declarer], hands[3])
        cell = {Conditions.A_FAILS: A_FAILS, Conditions.B_FAILS: B_FAILS}.get(
            result.outcome, result.captures
        )
        table[declarer, last - 1, levels[3], cell] += 1
    return np.append(table.ravel(), passed_out)
