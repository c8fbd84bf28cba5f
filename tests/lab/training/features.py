"""What a network reads, computed for one observation in another way than in the package."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tribridge.cards.cards import Strain
from tribridge.networks import auction, play
from tribridge.networks.auction import BIDS, CALLS, NOBODY, RANKS, SEATS, STRAINS, SUITS
from tribridge.networks.play import CHAIRS, MASKS, NO_SUIT, SUIT_FEATURES

F32 = NDArray[np.float32]
_BIDS: Final = np.arange(BIDS)
_CALLS: Final = np.arange(CALLS)
_CARDS: Final = np.arange(SUITS * RANKS)
_ROW: Final = (1 << RANKS) - 1


def play_features(observation: play.Observation) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """What a network reads: the features of each suit (4, SUIT_FEATURES) and of the table."""
    masks, numbers = observation
    suits = np.zeros((SUITS, SUIT_FEATURES), np.float32)
    rows = np.array(masks, np.int64)[:, None] >> RANKS * np.arange(SUITS) & _ROW
    bits = rows.T[:, :, None] >> np.arange(RANKS) & 1
    suits[:, : RANKS * MASKS] = bits.reshape(SUITS, -1)
    at = RANKS * MASKS
    if numbers.strain < SUITS:
        suits[numbers.strain, at] = 1
    if numbers.led != NO_SUIT:
        suits[numbers.led, at + 1] = 1
    out = numbers.shown_out >> np.arange(CHAIRS * SUITS) & 1
    suits[:, at + 2 :] = out.reshape(CHAIRS, SUITS).T
    return suits, _table(numbers)


def _table(numbers: play.Numbers) -> NDArray[np.float32]:
    """The numbers as zeros and ones."""
    parts = [
        _one_hot(numbers.chair, CHAIRS),
        _one_hot(numbers.position, CHAIRS),
        _one_hot(numbers.tricks, 13),
        _one_hot(numbers.won, 14),
        _one_hot(numbers.level - 1, 7),
        _one_hot(numbers.doubled, 3),
        np.array([numbers.strain == Strain.NOTRUMP.index], np.float32),
        *(_bits(mask, BIDS) for mask in numbers[9:12]),
        *(_bits(mask, BIDS + 1) for mask in numbers[12:15]),
    ]
    return np.concatenate(parts)


def _one_hot(value: int, size: int) -> NDArray[np.float32]:
    chosen: NDArray[np.float32] = (np.arange(size) == value).astype(np.float32)
    return chosen


def _bits(mask: int, size: int) -> NDArray[np.float32]:
    bits: NDArray[np.float32] = (mask >> np.arange(size) & 1).astype(np.float32)
    return bits


def auction_features(
    observation: auction.Observation,
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """What a network reads: the features of each suit (4, SUIT_FEATURES) and of the table."""
    hand, position, standing, bidder, *calls = observation
    bids, passes = calls[:3], calls[3:6]
    made = np.array(bids)[:, None] >> _BIDS & 1
    passed = np.array(passes)[:, None] >> _CALLS & 1
    last = np.equal(standing, _CALLS)
    suits = np.empty((SUITS, auction.SUIT_FEATURES), np.float32)
    suits[:, :13] = (hand >> _CARDS & 1).reshape(SUITS, RANKS)
    suits[:, 13:34] = _by_suit(made)
    suits[:, 34:55] = _by_suit(passed[:, 1:])
    suits[:, 55:62] = _by_suit(last[1:])
    suits[:, 62:69] = _by_suit(standing <= _BIDS)
    suits[:, 69:] = np.eye(SUITS)
    table = np.zeros(auction.TABLE_FEATURES, np.float32)
    table[position] = 1
    if bidder != NOBODY:
        table[SEATS + bidder] = 1
    table[6:42] = last
    table[42:147] = made.reshape(-1)
    table[147:] = passed.reshape(-1)
    return suits, table


def _by_suit(bids: NDArray[Any]) -> NDArray[Any]:
    """Values of the 35 bids (seats x 35, or 35) as rows of the four suits."""
    by_level = bids.reshape(-1, STRAINS)[:, :SUITS]
    rows: NDArray[Any] = by_level.T
    return rows
