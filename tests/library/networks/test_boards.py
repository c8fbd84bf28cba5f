"""Boards of people as arrays: written, read and split by deal."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tribridge.cards.cards import Card
from tribridge.cards.dealer import deal
from tribridge.common.errors import FormatError, IllegalActionError, NotFoundError
from tribridge.networks.boards import (
    PARTS,
    Boards,
    draw,
    for_validation,
    illegal,
    load_boards,
    save_boards,
    table_of,
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


def played(count: int, rng: np.random.Generator) -> Boards:
    """Boards on which everybody plays any legal card, up to some card."""
    some = boards(count)
    for row, (hands, contract) in enumerate(zip(some.hands, some.contract, strict=True)):
        table = table_of(hands.tolist(), contract.tolist())
        for number in range(rng.integers(20, 53)):
            legal = [card for card in table.legal if isinstance(card, Card)]
            card = legal[rng.integers(len(legal))]
            some.cards[row, number] = card.index
            table = table.apply_unchecked(card)
    return some


def follows_the_rules(hands: list[int], cards: list[int], contract: list[int]) -> bool:
    table = table_of(hands, contract)
    try:
        for index in cards:
            table = table.play(Card(index)) if index >= 0 else table
    except IllegalActionError:
        return False
    return True


def test_boards_are_illegal_as_the_table_says() -> None:
    rng = np.random.default_rng(11)
    some = played(60, rng)
    assert not illegal(some).any()
    for cards in some.cards:  # two cards change places
        one, other = rng.choice((cards >= 0).sum(), 2, replace=False)
        cards[[one, other]] = cards[[other, one]]
    rows = zip(*(column.tolist() for column in some.columns()), strict=True)
    expected = [not follows_the_rules(*row) for row in rows]
    assert illegal(some).tolist() == expected
    assert 0 < sum(expected) < len(expected)


@pytest.mark.parametrize(
    ("column", "at", "value"),
    [
        ("play", 0, 77),
        ("play", 0, -5),
        ("play", 3, -1),
        ("contract", 0, 9),
        ("contract", 1, 5),
        ("contract", 2, -1),
        ("hands", 2, 0),
    ],
)
def test_a_file_with_an_illegal_board_is_refused(
    tmp_path: Path, column: str, at: int, value: int
) -> None:
    path = tmp_path / "boards.npz"
    some = played(3, np.random.default_rng(1))
    arrays = dict(zip(("hands", "play", "contract"), some.columns(), strict=True))
    np.savez(path, **arrays)
    load_boards(path)
    arrays[column][1, at] = value
    np.savez(path, **arrays)
    with pytest.raises(FormatError, match="board 1, from 0, is not legal"):
        load_boards(path)


def test_numbers_that_are_not_whole_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "boards.npz"
    hands, cards, contract = boards(2).columns()
    np.savez(path, hands=hands, play=np.full(cards.shape, np.nan), contract=contract)
    with pytest.raises(FormatError, match="whole numbers"):
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
