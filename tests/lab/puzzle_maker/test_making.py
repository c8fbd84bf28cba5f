"""Making puzzles: the same by any number of processes, resumed, and judged as they say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import tribridge as tb
from tests.club.puzzles.examples import puzzle
from tribridge.cards.cards import Card
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Deal
from tribridge.club.puzzles import Collection, shipped
from tribridge.common.errors import FormatError, SettingError
from tribridge.game import Table, view
from tribridge.lab.puzzle_maker import calls, judging, making
from tribridge.lab.puzzle_maker.judging import Candidate, Losses
from tribridge.lab.puzzle_maker.making import Searching
from tribridge.reviews import puzzle_files
from tribridge.reviews.cards import solve_layouts, value_cards
from tribridge.reviews.puzzles import Puzzle, Source
from tribridge.reviews.themes import Theme
from tribridge.strategies.protocol import position_of

ACE, KING, TWO = Card("SA"), Card("SK"), Card("S2")


def losses(king: float, two: float, error: float = 0.01) -> Losses:
    cards = ((ACE, 0.0, 0.0), (KING, king, error), (TWO, two, error))
    return Losses({card: (60 * loss, 60 * error) for card, loss, error in cards}, 60.0)


def test_answers_are_right_or_wrong_and_nothing_between() -> None:
    assert losses(0.02, 0.3).groups(0.15, 0.05) == {ACE, KING}
    assert losses(0.3, 0.3).groups(0.15, 0.05) == {ACE}
    assert not losses(0.1, 0.3).groups(0.15, 0.05)
    assert not losses(0.01, 0.02).groups(0.15, 0.05)
    assert not losses(0.3, 0.3, error=0.1).groups(0.15, 0.05)
    assert losses(0.02, 0.2).agree(frozenset({ACE, KING}), 0.15, 0.05)
    assert not losses(0.02, 0.2).agree(frozenset({ACE}), 0.15, 0.05)


@pytest.mark.parametrize("some", [4, 30])
def test_losses_over_all_layouts_have_no_error(some: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many of the 35 are solved first."""
    monkeypatch.setattr(judging, "SOME", some)
    table = tb.new_table(
        "N:KJ632.T92.3.T752 QT974.J8.AQT7.A9 5.KQ76.K954.QJ43 A8.A543.J862.K86",
        auction="pass 1S pass pass",
        play="CQ C6 C2 CA S4 S5 SA S2 D2 D3 DT DK HK HA H2 H8 CK C5 C9 C3 DJ S3 D7 D4 CT S7 C4 C8 "
        "DA D5 D6 S6 C7 S9 CJ H3",
    )
    rng, right = np.random.default_rng(1), frozenset({Card("HJ"), Card("DQ")})
    found = Candidate(table, value_cards(tb.view(table, "E"), 1000, rng), right)
    made = judging.card_puzzle(found, rng, Source(book="none"))
    assert made is not None
    assert made.layouts == 35
    assert {answer.action for answer in made.answers if answer.right} == right
    assert [answer.error for answer in made.answers] == [0, 0, 0, 0]
    assert max(answer.loss for answer in made.answers) > 10


def test_a_puzzle_of_drawn_layouts_does_not_say_that_they_are_all() -> None:
    """However many of them were drawn more than once."""
    table = tb.new_table(deal(5, 1), auction="1NT pass pass")
    while len(table.history) < 27 or len(table.legal) == 1:
        table = table.apply(table.legal[0])
    rng, seen = np.random.default_rng(1), tb.view(table, table.turn)
    values = value_cards(seen, 60, rng)
    assert len(values.layouts) < 60
    assert not values.whole
    solved = solve_layouts(seen, values.layouts, values.share, whole=False, played_out=False)
    right = frozenset({solved.options[0].action})
    made = judging._card_puzzle(table, seen, values, solved, right, rng, Source(book="none"))
    assert "1,000 layouts" in str(made.judged)
    assert "all" not in str(made.judged)


def test_a_stopped_run_is_resumed_and_nothing_is_searched_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched: list[int] = []

    def search(seed: int, number: int, theme: Theme | None = None) -> list[Puzzle]:
        searched.append(number)
        return [puzzle()] if number == 1 else []

    monkeypatch.setattr(making, "puzzles_of_game", search)
    making.make(Searching(7), (0, 2), tmp_path, 1)
    making.make(Searching(7, Theme.OVERCALL), (1, 2), tmp_path, 1)  # kept beside the others
    assert searched.pop() == 1
    told: list[tuple[int, int, int]] = []
    making.make(Searching(7), (0, 4), tmp_path, 1, lambda *numbers: told.append(numbers))
    assert searched == [0, 1, 2, 3]
    assert told == [(2, 0, 0), (2, 1, 0), (2, 2, 0)]
    assert making.found_in(tmp_path) == [puzzle(), puzzle()]


def test_bad_settings_and_damaged_files_are_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="1 or more, not 0"):
        making.make(Searching(1), (0, 0), tmp_path, 1)
    with pytest.raises(SettingError, match="textbook"):
        Searching(1, Theme.SIGNAL)
    (tmp_path / "game-1-0.json").write_text("[{", "utf-8")
    with pytest.raises(FormatError, match="damaged"):
        making.found_in(tmp_path)


@pytest.mark.slow
def test_a_game_gives_the_same_puzzles_whoever_searches_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for module in (calls, judging):
        monkeypatch.setattr(module, "LAYOUTS", 40)
    monkeypatch.setattr(making, "_EASY", 1.0)
    puzzles = making.puzzles_of_game(3, 8)
    assert puzzles
    assert puzzles == making.puzzles_of_game(3, 8)
    for one in puzzles:
        one.check()
        assert one.layouts <= 40
        seen = one.view()
        assert all(answer.action in seen.legal for answer in one.answers)
        assert one.source.seats
        assert one.deal == one.table().deal


def test_a_search_for_a_theme_leaves_out_what_cannot_have_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[Table] = []
    monkeypatch.setattr(making, "call_puzzle", lambda table, *_: asked.append(table))
    monkeypatch.setattr(making, "candidate", lambda table, *_: asked.append(table))
    making.puzzles_of_game(71, 1, Theme.OVERCALL)
    assert {table.contract for table in asked} == {None}
    asked.clear()
    for number in range(3):
        making.puzzles_of_game(71, number, Theme.DRAW_TRUMPS)
    seats = [view(table, table.turn) for table in asked]
    assert seats
    assert not any(seen.trick for seen in seats)


def test_a_collection_has_one_puzzle_of_a_deal() -> None:
    """Whoever declared: the answer to one shows the hidden hands of the other."""
    first = puzzle()
    rest = first.deal.hands
    later = replace(first, id="0000abce", play=f"{first.play} {first.right[0]}")
    turned = replace(first, id="0000abcf", deal=Deal.of((rest[1], rest[2], rest[0], rest[3])))
    assert len(making.one_a_deal([first, later, turned])) == 1
    whole = Collection(version="1", made_by=(), puzzles=(first, later))
    with pytest.raises(FormatError, match="the same deal"):
        puzzle_files.check(whole)


def test_of_two_puzzles_of_a_deal_the_rarer_difficulty_is_taken() -> None:
    others = [replace(puzzle(), id=f"{at:08x}", deal=deal(1, at), rating=1510.0) for at in range(5)]
    common, rare = (replace(puzzle(), id=name, rating=rating) for name, rating in
                    (("common", 1520.0), ("rare", 1820.0)))  # fmt: skip
    chosen = making.one_a_deal([common, rare, *others])
    assert len(chosen) == 6
    assert rare in chosen


def test_of_equal_cards_the_lowest_is_shown_and_other_cards_are_several_answers() -> None:
    one = puzzle()
    position = position_of(one.view())
    (jack,) = one.right
    assert isinstance(jack, Card)
    made = making.collect([one]).puzzles
    assert [each.best.action for each in made] == [jack]
    wrong = [answer.action for answer in one.answers if not answer.right]
    also = replace(
        one, answers=tuple(replace(a, right=a.action in (jack, wrong[-1])) for a in one.answers)
    )
    assert not judging.one_card(position, also.right)
    assert not making.collect([also]).puzzles


def test_the_puzzles_of_the_package_show_the_lowest_of_equal_cards() -> None:
    several = 0
    for each in shipped().puzzles:
        cards = [card for card in each.right if isinstance(card, Card)]
        if not cards or each.theme is Theme.SIGNAL:
            continue
        assert judging.one_card(position_of(each.view()), cards)
        assert each.best.action == min(cards)
        several += len(cards) > 1
        assert isinstance(each.tempting, Card)
        assert each.tempting == min(judging.equal_cards(position_of(each.view()), each.tempting))
    assert several
