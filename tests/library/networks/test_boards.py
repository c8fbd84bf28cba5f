"""Boards of people as arrays: written, read and split by deal."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tribridge.cards.dealer import deal
from tribridge.common.errors import FormatError, NotFoundError
from tribridge.networks.boards import (
    PARTS,
    Boards,
    draw,
    for_validation,
    load_boards,
    save_boards,
)


def boards(count: int) -> Boards:
    """Boards on which nobody has played."""
    hands = [[hand.mask for hand in deal(5, number).hands] for number in range(count)]
    contract = [[3, number % 5, number % 3] for number in range(count)]
    cards = np.full((count, 52), -1, np.int8)
    return Boards(np.array(hands, np.uint64), cards, np.array(contract, np.int8))


def test_what_is_written_is_read(tmp_path: Path) -> None:
    some = boards(7)
    save_boards(some, tmp_path / "boards.npz")
    again = load_boards(tmp_path / "boards.npz")
    for one, other in zip(some.columns(), again.columns(), strict=True):
        assert np.array_equal(one, other)


def test_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "boards.npz"
    with pytest.raises(NotFoundError, match="no such file"):
        load_boards(path)
    path.write_text("no boards")
    with pytest.raises(FormatError, match="not a file of boards"):
        load_boards(path)
    np.savez(path, hands=np.zeros((2, 4)))
    with pytest.raises(FormatError, match="play is missing"):
        load_boards(path)
    np.savez(path, hands=np.zeros((2, 4)), play=np.zeros((2, 51)), contract=np.zeros((2, 3)))
    with pytest.raises(FormatError, match=r"\(2, 51\)"):
        load_boards(path)


def test_the_split_is_by_deal_whoever_declares() -> None:
    some = boards(2000)
    apart = for_validation(some)
    assert 0.5 / PARTS < apart.mean() < 2 / PARTS
    for turn in range(1, 4):
        turned = Boards(np.roll(some.hands, turn, 1), some.cards, some.contract)
        assert np.array_equal(for_validation(turned), apart)
    signed = Boards(some.hands.astype(np.int64), some.cards, some.contract)
    assert np.array_equal(for_validation(signed), apart)


def test_boards_are_drawn_once_each() -> None:
    some = boards(30)
    drawn = draw(some, 20, 3)
    assert len({tuple(hands) for hands in drawn.hands.tolist()}) == 20
    assert np.array_equal(drawn.hands, draw(some, 20, 3).hands)
    assert len(draw(some, 99, 3)) == 30
