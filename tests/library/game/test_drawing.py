"""Tables and views drawn for people, in a terminal and in a notebook."""

from __future__ import annotations

from html.parser import HTMLParser
from random import Random

import pytest

from tests.library.game.playing import walk
from tribridge.cards.cards import FULL_DECK, Deck, Hand, hand_signs
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.common.errors import quantity
from tribridge.game.table import Table, new_table
from tribridge.game.views import view

OPENING = new_table(deal(1, 0), Seat.EAST)
PLAYING = new_table(deal(1, 0), Seat.NORTH)
for _call in ("1NT", "pass", "2H", "pass", "pass"):
    PLAYING = PLAYING.call(_call)
for _card in ("CT", "C4", "C5"):
    PLAYING = PLAYING.play(_card)


def after(table: Table, *actions: str) -> Table:
    for action in actions:
        table = table.apply(action)
    return table


def test_a_table_in_play_has_declarer_at_the_bottom_and_the_trick_in_the_middle() -> None:
    assert (
        str(PLAYING)
        == """\
                Dummy
                ♠T9752
                ♥A82
                ♦A54
                ♣6
North                           East
♠J63                   ♣4       ♠K
♥43                 ♣T    ♣5    ♥KT965
♦QT3                            ♦J872
♣AQJ2                           ♣97
                South (declarer)
                ♠AQ84
                ♥QJ7
                ♦K96
                ♣K83

North   East    South
1NT     Pass    2♥
Pass    Pass

2♥ by South: declarer 0, defenders 0. South to play."""
    )


def test_a_table_in_the_auction_has_the_hidden_hand_on_the_left() -> None:
    lines = str(OPENING.call("pass")).splitlines()
    assert lines[0].strip() == "North"
    assert lines[5].split() == ["Hidden", "hand", "East"]
    assert lines[10].strip() == "South"
    assert lines[-4:] == ["East    South   North", "Pass", "", "South to call."]


@pytest.mark.parametrize(
    ("table", "status"),
    [
        (OPENING, "East to call."),
        (after(OPENING, "pass", "pass", "pass"), "Passed out."),
        (
            after(OPENING, "1C", "pass", "pass"),
            "1♣ by East: declarer 0, defenders 0. South to lead.",
        ),
        (
            after(PLAYING, "CK"),
            "2♥ by South: declarer 1, defenders 0. South to lead.",
        ),
        (
            after(PLAYING, "CK", "S4", "S3"),
            "2♥ by South: declarer 1, defenders 0. South to play from dummy.",
        ),
    ],
)
def test_the_last_line_says_where_the_deal_stands(table: Table, status: str) -> None:
    assert str(table).splitlines()[-1] == status


def test_the_last_line_of_a_finished_deal_is_its_result() -> None:
    seen = set()
    for seed in range(60):
        *_, table = walk(new_table(deal(seed, 0, Deck(4, 3)), Seat.NORTH), Random(seed))
        assert table.outcome is not None
        contract, last = table.contract, str(table).splitlines()[-1]
        if contract is None:
            assert last == "Passed out."
            continue
        for shown in (table, view(table, contract.declarer)):  # with the hands as dealt
            bottom = str(shown).partition("(declarer)\n")[2].split()[:4]
            assert "".join(bottom) == hand_signs(table.deal.hands[contract.declarer]).replace(
                " ", ""
            )
        over = table.outcome.tricks - contract.tricks_needed(table.deal.deck)
        seen.add((over > 0) - (over < 0))
        margin = f"made, {over} over" if over > 0 else "just made" if over == 0 else f"{-over} down"
        assert last == f"{contract}: {margin} ({quantity(table.outcome.tricks, 'trick')})."
    assert seen == {-1, 0, 1}


def test_a_view_shows_the_hands_that_its_seat_may_see() -> None:
    assert (
        str(view(PLAYING, Seat.EAST)).partition("\n\n")[0]
        == """\
                Dummy
                ♠T9752
                ♥A82
                ♦A54
                ♣6
North                           East
(not seen)             ♣4       ♠K
                    ♣T    ♣5    ♥KT965
                                ♦J872
                                ♣97
                South (declarer)
                (not seen)"""
    )
    assert str(view(PLAYING, Seat.SOUTH)).splitlines()[-7:-5] == ["                ♣K83", ""]
    assert str(view(OPENING, Seat.NORTH)).count("(not seen)") == 3
    assert str(view(OPENING, None)).count("(not seen)") == 4
    assert str(view(PLAYING, None)).count("(not seen)") == 3
    assert "AQ84" not in view(PLAYING, Seat.EAST)._repr_svg_()


class _Checker(HTMLParser):
    """Reads HTML and refuses what is not closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag != "br":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        assert tag == "rect"

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize(
    "value",
    [PLAYING, OPENING, view(PLAYING, Seat.NORTH), PLAYING.deal, PLAYING.deal.hidden, Hand()],
    ids=lambda value: type(value).__name__,
)
def test_notebooks_get_whole_html_with_the_same_cards(value: object) -> None:
    reader = _Checker()
    reader.feed((getattr(value, "_repr_svg_", None) or value._repr_html_)())  # type: ignore[attr-defined]
    reader.close()
    assert not reader.open
    if isinstance(value, Hand):
        assert reader.text.startswith("♠")
    else:
        assert "♠J63" in reader.text
        assert ("♠AQ84" in reader.text) == (value != view(PLAYING, Seat.NORTH))


@pytest.mark.parametrize(
    "deck", [Deck(1, 8), Deck(2, 4), Deck(3, 4), Deck(4, 2), FULL_DECK], ids=str
)
def test_every_position_of_every_deck_can_be_drawn(deck: Deck) -> None:
    for seed in range(3):
        for table in walk(new_table(deal(seed, 0, deck), Seat.SOUTH), Random(seed)):
            assert str(table) == "\n".join(line.rstrip() for line in str(table).split("\n"))
            assert max(map(len, str(table).splitlines())) <= 80
            for seat in (*Seat, None):
                assert str(view(table, seat))
                assert view(table, seat)._repr_svg_()
