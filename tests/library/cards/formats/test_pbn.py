"""PBN as real programs write it: each peculiarity in a small text of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tribridge.cards.deals import Deal
from tribridge.cards.formats import pbn
from tribridge.cards.formats.lines import LONGEST, text_lines

DEAL = "N:J63.43.QT3.AQJT2 K.KT965.J872.975 AQ84.QJ7.K96.K83 T9752.A82.A54.64"
OTHER = "N:K.KT965.J872.975 J63.43.QT3.AQJT2 AQ84.QJ7.K96.K83 T9752.A82.A54.64"


def read(text: str) -> list[pbn.Game]:
    return list(pbn.games(text_lines(text)))


def values(text: str, tag: str) -> list[str | None]:
    return [game.tags.get(tag) for game in read(text)]


def test_a_number_sign_takes_the_value_of_the_game_before() -> None:
    text = '[Event "A"]\n[Board "1"]\n\n[Event "#"]\n[Board "2"]\n\n[Event "#"]\n[Board "3"]\n'
    assert values(text, "Event") == ["A", "A", "A"]


def test_a_number_sign_takes_the_section_of_the_game_before() -> None:
    first, second = read('[Board "1"]\n[Auction "N"]\n1C AP\n\n[Board "2"]\n[Auction "#"]\n')
    assert (first.tags["Auction"], first.sections["Auction"]) == ("N", ["1C AP"])
    assert (second.tags["Auction"], second.sections["Auction"]) == ("N", ["1C AP"])


def test_two_number_signs_hold_for_all_games_that_follow_until_one_ends_it() -> None:
    text = '[Site "##Rhodes"]\n[Board "1"]\n\n[Board "2"]\n\n[Site "#"]\n[Board "3"]\n\n[Board "4"]'
    assert values(text, "Site") == ["Rhodes", "Rhodes", "Rhodes", None]
    text = '[Site "Rhodes"]\n[Board "1"]\n\n[Site "##"]\n[Board "2"]\n\n[Board "3"]\n'
    assert values(text, "Site") == ["Rhodes", "Rhodes", "Rhodes"]


def test_a_number_sign_without_a_game_before_is_nothing() -> None:
    assert values('[Deal "#"]\n', "Deal") == [""]


def test_the_second_table_of_a_board_has_the_deal_of_the_first() -> None:
    text = f'[Board "1"]\n[Dealer "N"]\n[Deal "{DEAL}"]\n\n[Board "1"]\n[Room "Closed"]\n'
    assert values(text, "Deal") == [DEAL, DEAL]
    assert values(text, "Dealer") == ["N", "N"]


@pytest.mark.parametrize("second", ['[Board "2"]', '[Room "Closed"]', '[Event "B"]\n[Board "1"]'])
def test_another_board_has_no_deal_from_the_game_before(second: str) -> None:
    text = f'[Event "A"]\n[Board "1"]\n[Deal "{DEAL}"]\n\n{second}\n'
    assert values(text, "Deal") == [DEAL, None]


def test_a_control_z_at_the_end_of_a_file_is_no_text() -> None:
    for end in ("\n\x1a", "\n\n\x1a\n", "\x1a"):
        (game,) = read(f'[Board "1"]\n[Deal "{DEAL}"]{end}')
        assert not game.fault
        assert game.tags["Deal"] == DEAL


@pytest.mark.parametrize(
    "tag",
    [
        '[Event"use new lines"]',
        '[   Event "use new lines"   ]',
        ' [\n   Event\n         "use new lines"\n                 ]',
        '[Event "use\nnew lines"]',
    ],
)
def test_a_tag_may_have_blanks_and_be_split_over_lines(tag: str) -> None:
    (game,) = read(f'[Board "1"]\n{tag}\n[Site "?"]\n')
    assert game.tags == {"Board": "1", "Event": "use new lines", "Site": "?"}
    assert not game.fault


def test_two_tags_may_share_a_line() -> None:
    (game,) = read('[Event "my event"] [Date "1998.03.21"] {or not} [Board "1"]')
    assert game.tags == {"Event": "my event", "Date": "1998.03.21", "Board": "1"}


@pytest.mark.parametrize("tags", ["Deal", "Board Deal", "Event Board Note Note Deal"])
def test_games_without_blank_lines_between_are_all_read(tags: str) -> None:
    deals = [DEAL, OTHER, DEAL]
    lines = (f'[{tag} "{one if tag == "Deal" else at}"]' for at, one in enumerate(deals)
             for tag in tags.split())  # fmt: skip
    assert values("\n".join(lines), "Deal") == deals


def test_comments_and_escaped_lines_are_skipped() -> None:
    (game,) = read("""% PBN 2.1
{ a comment
% with an escape in it
[Board "9"]

over several lines} [Board "1"] ; to the end [Event "x"]
[Event "Club; night {1} \\"A\\""]
;
[Auction "N"] {below}
1C {a {comment} X ; 2C
Pass
""")
    assert game.tags == {"Board": "1", "Event": 'Club; night {1} "A"', "Auction": "N"}
    assert game.sections["Auction"] == ["1C  X", "Pass"]


def test_notes_belong_to_the_section_that_they_follow() -> None:
    (game,) = read('[Auction "N"]\n1C =1= AP\n[Note "1: strong"]\n[Play "E"]\nSK\n[Note "1: king"]')
    assert game.sections["Auction"] == ["1C =1= AP", '[Note "1: strong"]']
    assert game.sections["Play"] == ["SK", '[Note "1: king"]']


@pytest.mark.parametrize(
    ("bad", "line", "message"),
    [
        ('[Event "A"]\n[Event]', 4, "broken tag '[Event]'"),
        ('[Event "A"]\n[Site No_quotes]', 4, "broken tag"),
        ('[Event "A"]\n[Site "open]', 4, "broken tag"),
        ("hello", 3, "expected a tag, found 'hello'"),
        ('[Event "A"] {never closed', 3, "a comment is never closed"),
    ],
)
def test_a_broken_game_is_named_and_the_games_around_it_are_read(
    bad: str, line: int, message: str
) -> None:
    first, broken, last = read(f'[Board "1"]\n\n{bad}\n\n[Board "3"]\n[Site "here"]\n')
    assert (first.tags, first.fault) == ({"Board": "1"}, "")
    assert broken.fault.startswith(message)
    assert (broken.line, broken.fault_line) == (3, line)
    assert (last.tags, last.fault) == ({"Board": "3", "Site": "here"}, "")


def test_a_line_of_megabytes_is_not_read_to_its_end() -> None:
    first, last = read(f'[Board "1"]\n[Site "{"x" * (2 * LONGEST)}"]\n\n[Board "2"]\n')
    assert first.fault.startswith("longer than")
    assert (first.tags, last.tags) == ({"Board": "1"}, {"Board": "2"})
    assert not last.fault


@pytest.mark.parametrize("line", ["x" * 1000, '[T{at} "{value}"]'])
def test_a_game_without_an_end_is_bounded(line: str) -> None:
    def lines() -> list[str]:
        text = "y" * 100_000
        return [line.format(at=at, value=text) if "T" in line else text for at in range(100)]

    first, last = pbn.games(['[Board "1"]', *lines(), "", '[Board "2"]'])
    assert first.fault.startswith("a game of more than")
    texts = (*first.tags.values(), *(line for part in first.sections.values() for line in part))
    assert sum(map(len, texts)) <= pbn.MOST + 100_000
    assert last.tags == {"Board": "2"}


def test_many_open_comments_are_read_in_one_pass() -> None:
    seen = 0

    def lines() -> Iterator[str]:
        nonlocal seen
        for at in range(3000):
            seen += 1
            yield f'[Board "{at}"] {{ open'
            yield ""

    games = list(pbn.games(lines()))
    assert seen == 3000
    assert len(games) == 3000
    assert all(game.fault for game in games)


names = st.text("ABCdef_019", min_size=1, max_size=8).filter(lambda name: name != "Note")
texts = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), max_size=20)
words = st.lists(st.text("abc123.-", min_size=1, max_size=6), min_size=1, max_size=4).map(" ".join)


@given(st.dictionaries(names, st.tuples(texts, st.lists(words, max_size=3)), min_size=1))
def test_games_are_written_and_read_back(game: dict[str, tuple[str, list[str]]]) -> None:
    tags = {name: value for name, (value, _) in game.items() if not value.startswith("#")}
    sections = {name: lines for name, (_, lines) in game.items() if lines and name in tags}
    if not tags:
        return
    (back,) = read(pbn.dumps([pbn.Game(tags, sections)]))
    assert (back.tags, back.sections, back.fault) == (tags, sections, "")


@given(st.text('[]{};%"#\\\nABab1 .:-', max_size=300))
def test_any_text_is_read_without_an_error(text: str) -> None:
    for game in read(text):
        assert game.fault or game.tags


def test_the_fast_reading_of_tags_is_that_of_the_slow_one() -> None:
    """A blank before a tag, which nothing else notices, makes the reader look at it closely."""
    text = f'[Event "A"]\n[Board "1"]\n[Deal "{DEAL}"]\n[Auction "N"]\n1C AP\n[Note "1:x"]\n'
    text += '\n[Board "2"]\n'
    slow = "\n".join(f" {line}" if line else "" for line in text.split("\n"))
    for quick, close in zip(read(text), read(slow), strict=True):
        assert (quick.tags, quick.sections, quick.line) == (close.tags, close.sections, close.line)
    assert Deal(read(text)[0].tags["Deal"]).is_ending is False
