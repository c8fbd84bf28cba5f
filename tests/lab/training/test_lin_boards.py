"""Boards from LIN files: what is read, and what is counted and left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from tribridge.cards.cards import Card, Hand
from tribridge.common.errors import NotFoundError
from tribridge.lab.training.lin_boards import read_folder

DEAL = "md|3SJHAQ83D9CK976432,SQ87HJ5DQT7643CAQ,SAT96542HKT96D8C8,SK3H742DAKJ52CJT5|"
AUCTION = "mb|p|mb|1N|mb|3C|mb|3N!|mb|p|mb|p|mb|p|pg||"
PLAY = "pc|h3|pc|hJ|pc|hK|pc|h4|pg||\npc|hT|pc|h7|pc|h8|pc|h5|pg||\npc|sA|pc|s3|pc|sJ|pc|s7|pg||\n"


def board(auction: str = AUCTION, play: str = PLAY, deal: str = DEAL) -> str:
    """A board as a file has it."""
    return f"qx|o1|st||{deal}sv|e|{auction}\n{play}mc|8|pg||\n"


def read(folder: Path, *boards: str) -> tuple[int, dict[str, int]]:
    """How many boards are read of a file, and what is left out."""
    (folder / "one.lin").write_text("vg|A match|pg||\n" + "".join(boards))
    reading = read_folder(folder)
    assert len(reading.boards()) == len(reading.rows)
    return len(reading.rows), dict(reading.left_out)


def test_a_board_is_read(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "ONE.LIN").write_text(board())
    boards = read_folder(tmp_path).boards()
    # North deals; East opens 1NT and declares, so that South leads.
    assert [str(Hand(int(mask))) for mask in boards.hands[0]] == [
        str(Hand(text))
        for text in ("K3.742.AKJ52.JT5", "J.AQ83.9.K976432", "Q87.J5.QT7643.AQ", "AT96542.KT96.8.8")
    ]
    assert boards.contract.tolist() == [[3, 4, 0]]
    played = [Card(int(index)) for index in boards.cards[0] if index >= 0]
    assert played[:5] == [Card(name) for name in ("H3", "HJ", "HK", "H4", "HT")]
    assert len(played) == 12


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (board(play="pc|h3|pc|hJ|"), "cut off"),
        (board(auction="mb|p|mb|1N|mb|p|"), "cut off"),
        (board(auction="mb|p|mb|p|mb|p|mb|p|", play=""), "passed out"),
        (board(auction=AUCTION.replace("3C", "1C")), "illegal"),
        (board(auction=AUCTION.replace("3C", "r")), "illegal"),
        (board(auction=AUCTION.replace("3C", "9C")), "illegal"),
        (board(play=PLAY.replace("hJ", "dQ")), "illegal"),  # a revoke
        (board(play=PLAY.replace("h7", "h4")), "illegal"),  # twice
        (board(play=PLAY.replace("hJ", "??")), "illegal"),
        (board(deal=DEAL.replace("SJH", "SKH")), "illegal"),
        (board(deal=DEAL.replace("|3S", "|S")), "cut off"),  # nobody knows who declares
    ],
)
def test_others_are_counted_and_left_out(tmp_path: Path, text: str, why: str) -> None:
    assert read(tmp_path, board(), text) == (1, {why: 1})


def test_a_board_twice_in_a_file_counts_once(tmp_path: Path) -> None:
    assert read(tmp_path, board(), board()) == (1, {"doubled in a file": 1})
    other = board(auction=AUCTION.replace("mb|p|mb|p|mb|p|", "mb|d|mb|p|mb|p|mb|p|"))
    assert read(tmp_path, board(), other, board()) == (2, {"doubled in a file": 1})
    assert read_folder(tmp_path).boards().contract.tolist() == [[3, 4, 0], [3, 4, 1]]
    assert str(read_folder(tmp_path)) == "2 boards of 1 file; left out: 1 doubled in a file"


def test_a_folder_without_files_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no such folder"):
        read_folder(tmp_path / "nowhere")
    with pytest.raises(NotFoundError, match="no LIN file"):
        read_folder(tmp_path)
