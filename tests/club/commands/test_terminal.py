"""The table in the terminal: a deal from the first call to the review, and what is typed there."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from rich.console import Console

from tests.library.cli.helpers import refusal, tribridge
from tribridge.api.tables import new_table
from tribridge.cards.cards import Card, Hand
from tribridge.cards.deals import Seat
from tribridge.club.commands import terminal
from tribridge.club.commands.terminal import Session, Setup, drawn, read_action
from tribridge.common.errors import FormatError, IllegalActionError, SettingError
from tribridge.game.record import dump, load, record_of
from tribridge.game.table import Table
from tribridge.game.views import view
from tribridge.strategies import find_strategy

SUITS = {"♠": "S", "♥": "H", "♦": "D", "♣": "C"}


def simple(table: Table) -> str:
    """What someone types who passes and plays the first legal card."""
    action = table.legal[0]
    return action.name if isinstance(action, Card) else "p"


class Person:
    """Someone at the terminal, and what they saw."""

    def __init__(
        self, answer: Callable[[Table], str], file: Path | None = None, width: int = 80
    ) -> None:
        self.out, self.answer = io.StringIO(), answer
        self.tables: list[Table] = []
        setup = Setup(Seat.SOUTH, (find_strategy("points+maxims"),), seed=11, pace=0, file=file)
        self.session = Session(setup, Console(file=self.out, width=width), self.read)

    def read(self, question: str) -> str:
        self.tables.append(self.session.table)
        return self.answer(self.session.table)

    def play(self) -> str:
        self.session.run()
        return self.out.getvalue()


def until_over(*lines: str) -> Callable[[Table], str]:
    """Play simply; say these lines at the end of the deals, and leave."""
    left = iter(lines)
    return lambda table: next(left, "quit") if table.over else simple(table)


def typing(*lines: str) -> Callable[[Table], str]:
    """Type these lines, and leave."""
    left = iter(lines)
    return lambda table: next(left, "quit")


def shown(text: str) -> Iterator[Card]:
    for sign, ranks in re.findall(f"([{''.join(SUITS)}])([AKQJT98765432]+)", text):
        yield from (Card(SUITS[sign] + rank) for rank in ranks)


def test_two_deals_are_played_and_each_is_shown_with_its_cards_at_the_end() -> None:
    person = Person(until_over(""))
    seen = person.play()
    first, second = (record.replay() for record in person.session.finished)
    assert (first.over, second.over, second.dealer) == (True, True, Seat.EAST)
    assert first.deal != second.deal
    assert {*shown(drawn(first, Seat.SOUTH))} == {
        card for hand in first.deal.hands for card in hand
    }
    assert drawn(first, Seat.SOUTH).splitlines()[0].strip() in seen


def test_no_hidden_card_is_shown_before_the_end() -> None:
    person = Person(until_over())
    person.play()
    assert {table.position is None for table in person.tables} == {True, False}
    for table in person.tables[:-1]:
        seen = view(table, Seat.SOUTH)
        visible = {*seen.dealt, *(seen.dummy_dealt or Hand()), *seen.played}
        assert {*shown(drawn(table, Seat.SOUTH))} <= visible
        assert {*seen.hand} <= {*shown(drawn(table, Seat.SOUTH))}


def test_the_screen_of_a_question_says_what_the_others_did() -> None:
    screens: list[tuple[Table, str]] = []

    def read(table: Table) -> str:
        screens.append((table, person.out.getvalue().rpartition("\x1b[2J")[2]))
        return simple(table) if not table.over else "quit"

    person = Person(read)
    person.session.console = Console(file=person.out, width=80, force_terminal=True, no_color=True)
    person.play()
    asked = [
        (table, screen) for table, screen in screens if table.position and table.position.trick
    ]
    assert asked
    for table, screen in asked:
        assert f": {table.history[-1]}." in re.sub(r"\x1b\[[0-9;]*m", "", screen)


def test_a_deal_that_was_left_continues_where_it_was(tmp_path: Path) -> None:
    file = tmp_path / "here" / "deals.jsonl"
    leaving = Person(lambda table: "quit" if len(table.tricks) == 3 else simple(table), file)
    assert file.name in leaving.play()
    coming_back = Person(until_over(""), file)
    coming_back.play()
    assert coming_back.tables[0] == leaving.tables[-1]
    assert [each.replay().over for each in load(file)] == [True, True]
    assert [each.number for each in load(file)] == [0, 1]


def test_a_file_of_other_deals_is_refused(tmp_path: Path) -> None:
    file, played = tmp_path / "other.jsonl", Person(typing())
    played.play()
    dump([record_of(played.tables[0])], file)
    with pytest.raises(FormatError, match=r"other\.jsonl"):
        Person(typing(), file).play()


def test_hints_and_bad_input_leave_the_deal_as_it_is() -> None:
    person = Person(typing("?", "help", "9nt", "zz", "", "hint"))
    seen = person.play()
    assert all(table == person.tables[0] for table in person.tables)
    assert "level 9" in seen
    assert seen.count("Hint, ") == 2


def test_the_first_screen_names_help_and_what_it_lists_is_understood() -> None:
    seen = Person(typing("help", "advice", "q")).play()
    assert "help" in seen.partition("hint, advice")[0]
    assert seen.count("Hint, ") == 1
    assert seen.count("Type help") == 1


def test_q_is_a_queen_where_one_can_be_played() -> None:
    """Otherwise it leaves, in the auction as in the play."""
    for number in range(20):
        table = new_table(seed=11, number=number, contract="1NT by E")
        person = Person(typing())
        person.session.table = table
        queens = any(isinstance(one, Card) and one.name[1] == "Q" for one in table.legal)
        person.answer = typing("q")
        if queens:
            assert person.session._line("") == "q"
        else:
            with pytest.raises(terminal.LeftError):
                person.session._line("")


def test_a_hint_in_the_play_comes_with_a_legal_card() -> None:
    asked = iter(["hint"])
    person = Person(
        lambda table: (
            "quit" if table.over else next(asked, "quit") if table.tricks else simple(table)
        )
    )
    (hint,) = re.findall(r"Hint, (\S+):", person.play())
    assert hint in map(str, person.tables[-1].legal)


def test_undo_goes_back_to_the_last_own_choice() -> None:
    person = Person(typing("u", "p", "undo"))
    assert "no choice to take back" in person.play()
    first, _, later, undone = person.tables
    assert undone == first != later


@pytest.mark.slow
def test_a_review_says_something_about_every_player(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal, "LAYOUTS", 8)
    seen = Person(until_over("nonsense", "review")).play()
    assert "not nonsense" in seen
    after = seen.partition("not nonsense")[2]
    assert all(str(seat) in after for seat in Seat)


@pytest.mark.parametrize(("text", "card"), [("k", "HK"), ("C", "C2"), ("7", None), ("", None)])
def test_a_rank_or_a_suit_names_the_only_card_that_fits(text: str, card: str | None) -> None:
    legal = [Card(name) for name in ("HK", "S7", "H7", "C2")]
    if card is not None:
        assert read_action(text, legal) == Card(card)
        return
    with pytest.raises(IllegalActionError, match="♠7"):
        read_action(text, legal)


def test_enter_plays_the_only_legal_card() -> None:
    assert read_action("", [Card("HK")]) == Card("HK")


def test_opponents_are_one_or_two_and_fair() -> None:
    with pytest.raises(SettingError, match="oracle"):
        Setup(Seat.SOUTH, (find_strategy("oracle"),), 1)
    with pytest.raises(SettingError, match="3"):
        Setup(Seat.SOUTH, (find_strategy("random"),) * 3, 1)
    pair = find_strategy("random"), find_strategy("capture")
    setup = Setup(Seat.SOUTH, pair, 1)
    assert (setup.opponent(Seat.NORTH), setup.opponent(Seat.EAST)) == pair


@pytest.mark.parametrize("width", [60, 200])
def test_the_table_fits_the_terminal(width: int) -> None:
    person = Person(until_over(), width=width)
    seen = person.play()
    assert max(map(len, seen.splitlines())) <= width
    last = person.tables[-1]
    for line in drawn(last, Seat.SOUTH).splitlines():
        assert line.rstrip() in seen


def test_a_terminal_without_suit_signs_gets_letters() -> None:
    person, out = Person(typing()), io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    person.session.console = Console(file=out, width=80)
    person.play()
    out.seek(0)
    assert "\\u" not in out.read()


def test_the_command_ends_when_its_input_does(tmp_path: Path) -> None:
    options = ["play", "--terminal", "--seed", "11", "--against", "points+maxims", "--data"]
    done = tribridge(*options, str(tmp_path / "deals.jsonl"), stdin="p\nbad\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert "deals.jsonl" in done.stdout
    assert "nobody" in refusal("play", "--terminal", "--against", "nobody")
    assert "north-west" in refusal("play", "--terminal", "--seat", "north-west")
