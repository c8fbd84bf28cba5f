"""Boards that people played, as arrays: `tribridge train boards` writes them from LIN files.

A deal is played at several tables, so boards are split by deal: one deal in `PARTS` is for
validation, which chooses between networks, and no board of it is learned from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tribridge.cards.cards import FULL_DECK, STRAINS, Hand
from tribridge.cards.deals import Deal, Seat
from tribridge.common.arrays import Array, Rows
from tribridge.common.errors import FormatError, NotFoundError
from tribridge.common.files import load_arrays, write_atomic
from tribridge.game.auction import DOUBLE, PASS, REDOUBLE, Bid, Call
from tribridge.game.table import Table, new_table

PARTS: Final = 50
"""One in so many deals is for validation."""
_AUCTIONS: Final[tuple[tuple[Call, ...], ...]] = (
    (PASS, PASS),
    (DOUBLE, PASS, PASS),
    (DOUBLE, PASS, REDOUBLE, PASS, PASS),
)
"""What follows declarer's bid if it is not doubled, doubled or redoubled."""


@dataclass(frozen=True, eq=False)
class Boards(Rows):
    """Four-handed boards; chairs are declarer, left defender, dummy and right defender."""

    hands: Array
    """(n, 4) masks, card `13 * suit + rank`, ace first."""
    cards: Array
    """(n, 52): the cards in order; -1 after the last one, as most boards end with a claim."""
    contract: Array
    """(n, 3): level, strain, and 1 if doubled, 2 if redoubled."""


def for_validation(boards: Boards) -> NDArray[np.bool_]:
    """The boards whose deal is for validation, as a mask; chairs do not matter."""
    deals = np.sort(np.asarray(boards.hands, np.uint64), 1)
    mixed = deals[:, 0]
    with np.errstate(over="ignore"):
        for other in deals.T[1:]:
            mixed = (mixed ^ other) * np.uint64(0x9E3779B97F4A7C15)
            mixed ^= mixed >> np.uint64(29)
    held_out: NDArray[np.bool_] = mixed % np.uint64(PARTS) == 0
    return held_out


def table_of(hands: Sequence[int], contract: Sequence[int]) -> Table:
    """A board at our table before the lead: North declares, and dummy is the hidden hand."""
    declarer, left, dummy, right = (Hand(int(hand)) for hand in hands)
    level, strain, doubled = (int(part) for part in contract)
    calls = (Bid(level, STRAINS[strain]), *_AUCTIONS[doubled])
    table = new_table(Deal.of((declarer, left, right, dummy)), Seat.NORTH, doubles=True)
    return table.call(calls)


def draw(boards: Boards, count: int, seed: int) -> Boards:
    """At most so many boards, drawn at random."""
    return boards.take(np.random.default_rng(seed).permutation(len(boards))[:count])


def illegal(boards: Boards) -> NDArray[np.bool_]:
    """The boards that nobody can have been dealt, bid or played, as a mask."""
    level, strain, doubled = boards.contract.astype(np.int64).T
    wrong: NDArray[np.bool_] = (level < 1) | (level > 7) | (strain < 0) | (strain > 4)
    wrong |= (doubled < 0) | (doubled > 2)
    held = boards.hands.astype(np.uint64)
    wrong |= np.bitwise_or.reduce(held, 1) != FULL_DECK.mask
    wrong |= (np.bitwise_count(held) != FULL_DECK.hand_size).any(1)
    rows, over = np.arange(len(boards)), np.zeros_like(wrong)
    leader = led = best = winner = np.ones(len(boards), np.int64)
    for number, given in enumerate(boards.cards.astype(np.int64).T):
        played = given >= 0
        wrong |= (given < -1) | (given > 51) | played & over
        over = over | ~played
        card, chair = given.clip(0, 51), (leader + number) % 4
        suit, bit = card // 13, np.uint64(1) << card.astype(np.uint64)
        led = suit if number % 4 == 0 else led
        of_suit = np.uint64(0x1FFF) << (13 * led).astype(np.uint64)
        hand = held[rows, chair]
        wrong |= played & ((hand & bit == 0) | (suit != led) & (hand & of_suit != 0))
        held[rows, chair] &= ~bit
        strength = 13 * (1 * (suit == led) + 2 * (suit == strain)) - card % 13
        ahead = strength > best if number % 4 else np.ones_like(wrong)
        best, winner = np.where(ahead, strength, best), np.where(ahead, chair, winner)
        leader = winner if number % 4 == 3 else leader
    return wrong


def load_boards(path: Path) -> Boards:
    """Boards of a file written by `save_boards`."""
    if not path.exists():
        raise NotFoundError(f"{path}: no such file; `tribridge train boards` makes one")
    with path.open("rb") as file:
        arrays = load_arrays(file, refusal := f"{path}: not a file of boards")
    try:
        boards = Boards(arrays["hands"], arrays["play"], arrays["contract"])
    except KeyError as error:
        raise FormatError(f"{refusal}: {error.args[0]} is missing") from None
    count = len(boards)
    for part, size in zip(boards.columns(), (4, 52, 3), strict=True):
        if part.shape != (count, size):
            raise FormatError(f"{refusal}: an array is {part.shape}, expected {(count, size)}")
    for part in boards.columns():
        if part.dtype.kind not in "iu":
            raise FormatError(f"{refusal}: an array is of {part.dtype}, expected whole numbers")
    if (wrong := illegal(boards)).any():
        raise FormatError(f"{path}: board {int(wrong.argmax())}, from 0, is not legal")
    return boards


def save_boards(boards: Boards, path: Path) -> None:
    """Write boards."""
    buffer = BytesIO()
    np.savez_compressed(
        buffer,
        hands=boards.hands.astype(np.uint64),
        play=boards.cards.astype(np.int8),
        contract=boards.contract.astype(np.int8),
    )
    write_atomic(path, buffer.getvalue())
