"""Records of other programs through the public door: files, folders, texts, links, and back."""

from __future__ import annotations

import logging
import tracemalloc
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tribridge as tb
from tribridge.cards.deals import COMPASS
from tribridge.cards.formats.lines import LONGEST

DEAL = "N:J63.43.QT3.AQJT2 K.KT965.J872.975 AQ84.QJ7.K96.K83 T9752.A82.A54.64"
PLAYED = f"""[Event "Club night"]
[Site "?"]
[Date "2026.11.18"]
[Board "%s"]
[West "Ann"]
[North "Bea"]
[East "Cid"]
[South "Dan"]
[Dealer "N"]
[Vulnerable "EW"]
[Deal "{DEAL}"]
[Scoring "IMP"]
[Declarer "S"]
[Contract "1NT"]
[Result "8"]
[Auction "N"]
Pass Pass 1NT Pass
Pass Pass
[Play "W"]
S5 S3 SK S4
H2 H3 HT HJ
S2 S6 C5 S8
S7 SJ C7 SQ
*

"""
LIN = (
    "vg|Club night,Round 1,I,1,2,Home,0,Away,0|\npn|Dan,Ann,Bea,Cid,Di,Al,Bo,Cy|pg||\n"
    "qx|o1|st||md|3SAQ84HQJ7DK96CK83,ST9752HA82DA54C64,SJ63H43DQT3CAQJT2,SKHKT965DJ872C975|sv|e|"
    "mb|p|mb|p|mb|1N!|an|15-17|mb|p|mb|p|mb|p|pg||\npc|s5|pc|s3|pc|sK|pc|s4|pg||\nmc|8|pg||\n"
)


def board(number: int) -> str:
    return PLAYED % number


def tables() -> list[tb.Table]:
    """Tables of every kind: of four players, of three, in the play, over, claimed, passed out."""
    four = tb.load_pbn(board(1) + board(2).replace('"8"', '""').replace("[Vulnerable", "[Other"))
    return [
        *four,
        tb.load_lin(LIN)[0],
        *(tb.play_game("points", "points", "random", seed=8, number=at) for at in range(6)),
        tb.new_table(seed=1, auction="pass pass pass"),
        tb.new_table(seed=1, contract="3NTx by E", play="S8", scheme="contract", vulnerable="E"),
        tb.new_table(seed=2, contract="4Sxx by S", doubles=True).claim(10),
    ]


def chairs(table: tb.Table) -> Any:
    """A game without its seats: what declarer and dummy hold, contract, cards and result."""
    play = table.position
    if play is None:
        return table.outcome
    contract = (play.contract.bid, play.contract.factor)
    return contract, play.dealt(), tuple(play.plays()), table.outcome and table.outcome.tricks


def test_a_file_a_path_and_its_text_give_the_same_tables(tmp_path: Path) -> None:
    text = board(1) + board(2)
    file = tmp_path / "club.PBN"
    file.write_text(text)
    read = tb.load_pbn(text)
    assert len(read) == 2
    assert tb.load_pbn(file) == tb.load_pbn(str(file)) == list(tb.iter_pbn(file)) == read
    assert [table.tags["Board"] for table in read] == ["1", "2"]


def test_all_files_of_a_folder_are_read_in_order(tmp_path: Path) -> None:
    (tmp_path / "deeper").mkdir()
    (tmp_path / "deeper" / "c.pbn").write_text(board(3))
    (tmp_path / "a.PBN").write_text(board(1))
    (tmp_path / "b.pbn").write_text(board(2))
    (tmp_path / "notes.txt").write_text("nothing")
    (tmp_path / "d.lin").write_text(LIN)
    assert [table.tags["Board"] for table in tb.load_pbn(tmp_path)] == ["1", "2", "3"]
    (table,) = tb.load_lin(tmp_path)
    assert table.tags["Room"] == "Open"
    (tmp_path / "empty").mkdir()
    with pytest.raises(tb.FormatError, match=r"no file \*\.pbn in this folder"):
        tb.load_pbn(tmp_path / "empty")


def test_one_warning_for_each_board_that_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "club.pbn"
    file.write_text(
        board(1)
        + board(2).replace("T9752", "T975")
        + board(3).replace("S5 S3", "S5 S9")
        + '[Event "Club night"]\n[Board "4"]\n\n'
        + board(5)
    )
    with pytest.warns(tb.RecordWarning) as warned:
        read = tb.load_pbn(file)
    assert [table.tags["Board"] for table in read] == ["1", "5"]
    assert [str(one.message) for one in warned] == [
        f"{file}, board 2 (line 26): the hand of W has 12 cards, not 13",
        f"{file}, board 3 (line 51): South cannot play ♠9 from dummy: dummy does not hold it",
        f"{file}, board 4 (line 76): no deal",
    ]
    with pytest.raises(tb.RecordError, match=r"board 2 \(line 26\)"):
        tb.load_pbn(file, strict=True)
    reader = tb.iter_pbn(file, strict=True)
    assert next(reader).tags["Board"] == "1"
    with pytest.raises(tb.RecordError, match="12 cards"):
        next(reader)


def test_a_lin_board_has_names_room_and_auction() -> None:
    (table,) = tb.load_lin(LIN, strict=True)
    (same,) = tb.load_pbn(board(1).replace("H2 H3", "*\nH2 H3"))
    assert table == same
    assert {name: table.tags[name] for name in ("Event", "Board", "South", "Room", "HomeTeam")} == {
        "Event": "Club night", "Board": "1", "South": "Dan", "Room": "Open", "HomeTeam": "Home"
    }  # fmt: skip
    assert table.tags["Auction"] == 'N\nPass Pass 1NT =1= Pass\nPass Pass\n[Note "1:15-17"]'
    two = tb.load_lin(LIN + LIN.replace("Club night", "Another night"))
    assert [each.tags["Event"] for each in two] == ["Club night", "Another night"]
    (closed,) = tb.load_lin(LIN.replace("qx|o1", "qx|c12"))
    assert [closed.tags[name] for name in ("Board", "Room", "South")] == ["12", "Closed", "Di"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("md|3S", "md|3SX", "board 1 (line 3): the hand of S: unknown rank 'X'"),
        ("CK83,", "CK8,", "board 1 (line 3): the hand of S has 12 cards"),
        ("SKHKT", "SKHKQT", "is in both"),
        ("mb|1N!", "mb|8N", "board 1 (line 3): cannot read call '8N'"),
        ("mb|1N!", "mb|1N|mb|1C", "board 1 (line 3): 1C is not higher than 1NT"),
        ("pc|s3", "pc|zz", "board 1 (line 4): cannot read card 'zz'"),
        ("pc|s3", "pc|c2", "South cannot play ♣2 from dummy"),
        ("sv|e", "sv|x", "unknown vulnerability 'x'"),
        ("mc|8", "mc|14", "cannot read the Result '14'"),
    ],
)
def test_a_lin_board_that_cannot_be_is_named_and_the_next_one_read(
    old: str, new: str, message: str
) -> None:
    second = LIN.partition("qx|")[2].replace("o1|", "qx|o2|", 1)
    with pytest.warns(tb.RecordWarning) as warned:
        (table,) = tb.load_lin(LIN.replace(old, new, 1) + second)
    assert table.tags["Board"] == "2"
    (warning,) = warned
    assert message in str(warning.message)


def test_the_line_of_each_board_of_a_lin_file_stands_for_itself() -> None:
    """A bar too many or too few harms its own board alone."""
    second = LIN.partition("qx|")[2].replace("o1|", "qx|o2|", 1)
    with pytest.warns(tb.RecordWarning):
        (table,) = tb.load_lin(LIN.replace("mb|p|", "mb|p||", 1) + second)
    assert table.tags["Board"] == "2"


ENCODINGS = {
    "utf-8": lambda text: text.encode(),
    "utf-8-sig": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "latin-1": lambda text: text.encode("latin-1"),
    "utf-16": lambda text: text.encode("utf-16"),
    "windows": lambda text: text.replace("\n", "\r\n").encode("latin-1"),
    "mac": lambda text: text.replace("\n", "\r").encode(),
    "dos": lambda text: text.replace("\n", "\r\n").encode("latin-1") + b"\x1a",
}


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_files_are_read_in_every_encoding(encoding: str, tmp_path: Path) -> None:
    many = "".join(board(at) for at in range(300)).replace("Club", "Café")
    file = tmp_path / "cafe.pbn"
    file.write_bytes(ENCODINGS[encoding](many))
    read = tb.load_pbn(file, strict=True)
    assert [table.tags["Board"] for table in read] == [str(at) for at in range(300)]
    assert {table.tags["Event"] for table in read} == {"Café night"}


@pytest.mark.parametrize("cut", range(0, len(PLAYED), 23))
def test_a_file_that_is_cut_off_loses_at_most_its_last_board(cut: int) -> None:
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        read = tb.load_pbn(board(1) + board(2)[:cut])
    assert read[0] == tb.load_pbn(board(1))[0]
    assert len(read) + len(warned) <= 2


def test_a_line_of_megabytes_is_left_out_in_bounded_memory(tmp_path: Path) -> None:
    file = tmp_path / "long.pbn"
    with file.open("w") as out:
        out.write(board(1) + '[Site "')
        for _ in range(40):
            out.write("x" * LONGEST)
        out.write(f'"]\n\n{board(3)}')
    tracemalloc.start()
    with pytest.warns(tb.RecordWarning, match="longer than 1,048,576 characters"):
        read = [table.tags["Board"] for table in tb.iter_pbn(file)]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert read == ["1", "3"]
    assert peak < 16 * LONGEST


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    def peak(boards: int) -> int:
        file = tmp_path / f"{boards}.pbn"
        file.write_text("".join(board(at) for at in range(boards)))
        tracemalloc.start()
        assert sum(1 for _ in tb.iter_pbn(file)) == boards
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(10)
    assert peak(3000) < peak(300) + (1 << 20)


def test_tables_are_read_back_from_pbn() -> None:
    written = tables()
    text = tb.to_pbn(*written)
    assert tb.load_pbn(text, strict=True) == written
    assert text.count("[Event ") == text.count("[Result ") == len(written)


def test_tables_are_read_back_from_lin_and_links_but_for_their_seats() -> None:
    written = tables()
    assert [chairs(t) for t in tb.load_lin(tb.to_lin(*written), strict=True)] == [
        chairs(table) for table in written
    ]
    for table in written:
        (linked,) = tb.load_lin(tb.to_link(table), strict=True)
        assert chairs(linked) == chairs(table)


def test_files_are_saved_with_the_path_last_or_first(tmp_path: Path) -> None:
    path, deals = tmp_path / "x.pbn", [tb.deal(1), tb.deal(2)]
    forms: list[tuple[Any, ...]] = [
        (deals, path), (tuple(deals), str(path)), (path, *deals), (str(path), *map(str, deals)),
    ]  # fmt: skip
    for form in forms:
        tb.save_pbn(*form)
        assert [table.deal for table in tb.load_pbn(path)] == deals
        tb.save_lin(*form)
        assert [table.deal for table in tb.load_lin(path)] == deals
        path.unlink()
    tb.save_pbn((deal for deal in deals), path)
    assert len(tb.load_pbn(path)) == 2
    tb.save_pbn(str(deals[0]), path)
    assert tb.load_pbn(path)[0].deal == deals[0]
    with pytest.raises(tb.SettingError, match="expected deals and then a path"):
        tb.save_pbn(deals, deals[0])


def test_endplay_reads_what_is_written(tmp_path: Path) -> None:
    pbn = pytest.importorskip("endplay.parsers.pbn")
    lin = pytest.importorskip("endplay.parsers.lin")
    over = [table for table in tables() if table.over]  # it cannot read a LIN board in the play
    for save, load, written in ((tb.save_pbn, pbn.load, tables()), (tb.save_lin, lin.load, over)):
        file = tmp_path / "out"
        save(written, file)
        with file.open() as opened:
            boards = load(opened)
        assert len(boards) == len(written)
        for board, table in zip(boards, written, strict=True):
            check_with_endplay(board, table)


def check_with_endplay(board: Any, table: tb.Table) -> None:
    play = table.position
    if play is None:
        return
    declarer = board.contract.declarer
    letter = declarer.name[0].upper()
    around = (COMPASS * 2)[COMPASS.index(letter) :][:4]
    masks = play.dealt()
    for seat, mask in zip(around, masks, strict=True):
        hand = getattr(board.deal, {"N": "north", "E": "east", "S": "south", "W": "west"}[seat])
        assert tb.Hand(str(hand)).mask == mask
    assert board.contract.level == play.contract.bid.level
    assert board.contract.denom.name.upper()[0] == play.contract.bid.strain.letter[0]
    assert (
        board.contract.penalty.name
        == {1: "passed", 2: "doubled", 4: "redoubled"}[play.contract.factor]
    )
    assert [tb.Card(str(card)) for card in board.play] == [card for _, card in play.plays()]
    if table.outcome is not None:
        assert board.contract.level + 6 + board.contract.result == table.outcome.tricks


def test_bridgebots_reads_what_is_written(tmp_path: Path) -> None:
    """It reads games with a result, and of LIN those with a lead."""
    bridgebots = pytest.importorskip("bridgebots")
    over = [table for table in tables() if table.outcome is not None and table.contract is not None]
    led = [table for table in over if table.position is not None and table.position.rounds()[0][1]]
    assert len(led) >= 5
    logging.getLogger().setLevel(logging.ERROR)
    for save, load, written in (
        (tb.save_pbn, bridgebots.parse_pbn, over),
        (tb.save_lin, bridgebots.parse_single_lin, led),
    ):
        file = tmp_path / "out"
        save(written, file)
        records = [record for deal in load(file) for record in deal.board_records]
        assert sorted(map(_seen_by_bridgebots, records)) == sorted(map(_seen_by_us, written))
    for table in led:
        linked = bridgebots.lin.parse_handviewer_url(tb.to_link(table)).board_records[0]
        assert _seen_by_bridgebots(linked)[:1] == _seen_by_us(table)[:1]


def _seen_by_bridgebots(record: Any) -> tuple[str, int]:
    cards = " ".join(tb.Card(str(card)).name for card in record.play_record)
    return f"{record.contract} {cards}", record.tricks


def _seen_by_us(table: tb.Table) -> tuple[str, int]:
    assert table.position is not None
    assert table.outcome is not None
    bid, factor = table.position.contract.bid, table.position.contract.factor
    cards = " ".join(card.name for _, card in table.position.plays())
    name = f"{bid.level}{bid.strain.letter}{'X' * (factor // 2)}"
    return f"{name} {cards}", table.outcome.tricks


@pytest.fixture(autouse=True)
def _quiet_log() -> Iterator[None]:
    level = logging.getLogger().level
    yield
    logging.getLogger().setLevel(level)
