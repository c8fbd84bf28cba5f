"""Bridge's own files: PBN, LIN and hand viewer links, good and broken."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest

from tribridge.cards.dealer import deal
from tribridge.cards.deals import Deal, deal_name
from tribridge.cards.formats import Board, boards_of, dumps_pbn, lin, load_boards, loads_pbn, pbn
from tribridge.common.errors import FormatError, TribridgeError

PBN = """% PBN 2.1
; a comment
[Event "Club; night {1}"]
[Board "7"]
[Deal "E:K.KT965.J872.975 AQ84.QJ7.K96.K83 T9752.A82.A54.64 J63.43.QT3.AQJT2"] {a comment
over two lines [Deal "N:..."] }
[Declarer "S"]
[Auction "N"]
1C Pass 1NT Pass
Pass Pass

[Board "8"]
[Event "#"]
[Deal "N:- K.KT965.J872.975 AQ84.QJ7.K96.K83 T9752.A82.A54.64"]

[Event "no deal here"]
"""
DEAL = deal(1, 0)
LIN = "pn|a,b,c,d|st||md|3SAQ84HQJ7DK96CK83,ST9752HA82DA54C64,SJ63H43DQT3CAQJT2,|rh||ah|Board 1|"
LIN_FULL = LIN.replace("CAQJT2,|", "CAQJT2,SKHKT965DJ872C975|")


def test_a_pbn_file_gives_its_boards(tmp_path: Path) -> None:
    file = tmp_path / "club.pbn"
    file.write_text(PBN)
    seven, eight = load_boards(file)
    assert seven == Board(DEAL, "7", 2)
    assert eight == Board(DEAL, "8", 0)


def test_pbn_reads_windows_lines_marks_and_old_encodings(tmp_path: Path) -> None:
    file = tmp_path / "old.pbn"
    file.write_bytes(b"\xef\xbb\xbf" + PBN.replace("\n", "\r\n").encode())
    assert [board.deal for board in load_boards(file)] == [DEAL, DEAL]
    file.write_bytes(PBN.replace("night", "caf\xe9").encode("latin-1"))
    assert load_boards(file)[0].deal == DEAL


@pytest.mark.parametrize("tags", ["Deal", "Board Deal", "Event Board Note Note Deal"])
def test_games_without_blank_lines_between_are_all_read(tags: str) -> None:
    deals = [deal(3, number) for number in range(3)]
    lines = (f'[{tag} "{one if tag == "Deal" else at}"]' for at, one in enumerate(deals)
             for tag in tags.split())  # fmt: skip
    assert [board.deal for board in loads_pbn("\n".join(lines))] == deals


def test_an_error_in_a_lin_file_names_the_deal(tmp_path: Path) -> None:
    file = tmp_path / "match.lin"
    file.write_text(LIN + "\n" + LIN.replace("SAQ84", "SAQ44"))
    with pytest.raises(
        TribridgeError, match=r"match\.lin: deal 2: the hand of S: ♠4 is given twice"
    ):
        load_boards(file)


def test_boards_are_written_and_read_back(tmp_path: Path) -> None:
    boards = [Board(deal(5, n), f'"{n}"\\', n % 4) for n in range(20)]
    file = tmp_path / "out.pbn"
    file.write_text(dumps_pbn(boards))
    assert load_boards(file) == boards


@pytest.mark.parametrize("text", [LIN, LIN_FULL, LIN.replace("|", "|\n"), LIN.lower()])
def test_a_lin_text_gives_its_deal(text: str, tmp_path: Path) -> None:
    assert lin.loads(text) == [DEAL]
    file = tmp_path / "deal.lin"
    file.write_text(text)
    assert load_boards(file) == [Board(DEAL, "1", 0)]


def test_links_of_the_hand_viewer_give_their_deal() -> None:
    base = "https://www.bridgebase.com/tools/handviewer.html?"
    for link in (base + "bbo=y&lin=" + quote(LIN), base + "lin=" + LIN, lin.link_of(DEAL)):
        assert boards_of(link) == [Board(DEAL)]
    three = lin.link_of(DEAL).rsplit("&w=", 1)[0]
    assert boards_of(three) == [Board(DEAL)]


def test_a_deal_string_is_a_board_of_its_first_hand() -> None:
    assert boards_of(deal_name(DEAL, "S")) == [Board(DEAL, "", 2)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (PBN.replace("T9752.A82", "T975K.A82", 1), r"board 7 \(line 3\): ♠K is in both"),
        (PBN.replace('[Deal "N:-', '[Deal "N:A', 1), r"board 8 \(line 12\)"),
        (PBN.replace('[Board "7"]', '[Board "7]'), "line 4: broken tag"),
        (PBN.replace("two lines", "two lines {").replace("}", ""), "never closed"),
        ("hello\n", "line 1: expected a tag"),
    ],
)
def test_a_broken_pbn_text_is_refused_with_the_place(text: str, message: str) -> None:
    with pytest.raises(TribridgeError, match=message) as error:
        loads_pbn(text)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\x00\x01\x02[Deal", "not a text file"),
        (b"\x89PNG\r\n\x1a\n\x00", "not a text file"),
        (b"", "contains no deal"),
        (b'[Event "x"]\n', "contains no deal"),
        (b"st||rh||ah|Board 1|", "no deal"),
        (b"md|3SAQ,H|", "3 or 4 hands"),
    ],
)
def test_a_file_without_deals_is_refused_by_name(data: bytes, message: str, tmp_path: Path) -> None:
    file = tmp_path / "some.pbn"
    file.write_bytes(data)
    with pytest.raises(FormatError, match=message) as error:
        load_boards(file)
    assert str(error.value).startswith(str(file))


@pytest.mark.parametrize(
    ("link", "message"),
    [
        ("https://example.org/", "no deal in the link"),
        ("https://example.org/?n=sakqh", "the hand of E and the hand of S and the hand of W"),
        ("https://example.org/?lin=st||", "no deal found"),
    ],
)
def test_a_link_without_a_deal_is_refused(link: str, message: str) -> None:
    with pytest.raises(TribridgeError, match=message):
        boards_of(link)


def test_pbn_games_keep_tags_and_sections() -> None:
    games = pbn.loads(PBN)
    assert [game.tags.get("Board") for game in games] == ["7", "8", None]
    assert games[0].tags["Event"] == "Club; night {1}"
    assert games[0].sections["Auction"] == ("1C Pass 1NT Pass", "Pass Pass")
    assert Deal(games[0].tags["Deal"]) == DEAL
