"""Deals in the forms in which users give them: strings, PBN and LIN files, hand viewer links."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest

from tribridge.cards.dealer import deal
from tribridge.cards.deals import deal_name
from tribridge.cards.formats import Board, boards_of
from tribridge.common.errors import FormatError, RecordWarning, TribridgeError
from tribridge.game.record.pbn import link_of

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
"""
DEAL = deal(1, 0)
LIN = "pn|a,b,c,d|st||md|3SAQ84HQJ7DK96CK83,ST9752HA82DA54C64,SJ63H43DQT3CAQJT2,|rh||ah|Board 1|"
LIN_FULL = LIN.replace("CAQJT2,|", "CAQJT2,SKHKT965DJ872C975|")


def test_a_pbn_file_gives_its_boards(tmp_path: Path) -> None:
    file = tmp_path / "club.pbn"
    file.write_text(PBN)
    seven, eight = boards_of(str(file), strict=True)
    assert seven == Board(DEAL, "7", 2)
    assert eight == Board(DEAL, "8", 0)


def test_a_bad_board_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    file = tmp_path / "club.pbn"
    file.write_text(PBN.replace("T9752.A82", "T975K.A82", 1) + '\n[Event "no deal here"]\n')
    with pytest.warns(RecordWarning) as warned:
        (eight,) = boards_of(str(file))
    assert eight == Board(DEAL, "8", 0)
    first, second = (str(one.message) for one in warned)
    assert first == f"{file}, board 7 (line 3): ♠K is in both the hand of E and the hand of W"
    assert second == f"{file}, line 16: no deal"
    with pytest.raises(TribridgeError, match=r"board 7 \(line 3\)"):
        boards_of(str(file), strict=True)


@pytest.mark.parametrize("text", [LIN, LIN_FULL, LIN.replace("|", "|\n"), LIN.lower()])
def test_a_lin_text_gives_its_deal(text: str, tmp_path: Path) -> None:
    file = tmp_path / "deal.lin"
    file.write_text(text)
    assert boards_of(str(file), strict=True) == [Board(DEAL, "1", 0)]


@pytest.mark.parametrize(("calls", "declarer"), [("1N p p p", 0), ("p 1H p 2H p p p", 1),
                                                 ("p p 1C p 1N p p p", 0), ("", 0)])  # fmt: skip
def test_the_declarer_of_a_lin_board_is_found_from_its_auction(
    calls: str, declarer: int, tmp_path: Path
) -> None:
    file = tmp_path / "deal.lin"
    file.write_text(LIN_FULL + "".join(f"mb|{call}|" for call in calls.split()))
    assert boards_of(str(file), strict=True) == [Board(DEAL, "1", declarer)]


def test_links_of_the_hand_viewer_give_their_deal() -> None:
    base = "https://www.bridgebase.com/tools/handviewer.html?"
    for link in (base + "bbo=y&lin=" + quote(LIN), base + "lin=" + LIN):
        assert boards_of(link) == [Board(DEAL, "1")]
    assert boards_of(link_of(DEAL))[0].deal == DEAL
    three = base + "&".join(f"{at}={quote(str(DEAL.hands[at.upper()]))}" for at in "nes")
    assert boards_of(three) == [Board(DEAL)]


def test_a_deal_string_is_a_board_of_its_first_hand() -> None:
    assert boards_of(deal_name(DEAL, "S")) == [Board(DEAL, "", 2)]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\x00\x01\x02[Deal", "not a text file"),
        (b"\x89PNG\r\n\x1a\n\x00", "not a text file"),
        (b"PK\x03\x04" + bytes(60), "a zip archive: unpack it first"),
        (b"\x1f\x8b\x08" + bytes(60), "a gzip file: unpack it first"),
        (b"", "contains no deal"),
        (b"% PBN 2.1\n% EXPORT\n", "contains no deal"),
        (b"st||rh||ah|Board 1|", "contains no deal"),
    ],
)
def test_a_file_without_games_is_refused_by_name(data: bytes, message: str, tmp_path: Path) -> None:
    file = tmp_path / "some.pbn"
    file.write_bytes(data)
    with pytest.raises(FormatError, match=message) as error:
        boards_of(str(file))
    assert str(error.value).startswith(str(file))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("link", "message"),
    [
        ("https://example.org/", "no deal in the link"),
        ("https://example.org/?n=sakqh", "the hand of E and the hand of S and the hand of W"),
        ("https://example.org/?lin=st||", "no deal found"),
        ("https://example.org/?lin=md|3SAQ,H|", "3 or 4 hands"),
    ],
)
def test_a_link_without_a_deal_is_refused(link: str, message: str) -> None:
    with pytest.raises(TribridgeError, match=message):
        boards_of(link)
