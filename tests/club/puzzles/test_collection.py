"""Collections: written, read, damaged, checked; and the one of the package."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest

from tests.club.puzzles.examples import puzzle
from tests.library.cli.helpers import refusal, tribridge
from tribridge.club.puzzles import Theme, collection, shipped
from tribridge.common import codec
from tribridge.common.errors import FormatError, IllegalActionError, NotFoundError
from tribridge.lab.puzzle_maker.making import collect, dumps
from tribridge.reviews import puzzle_files
from tribridge.reviews.puzzles import Collection, Puzzle
from tribridge.reviews.themes import read_theme
from tribridge.strategies.versions import player_version


def test_a_collection_is_read_as_it_was_written(tmp_path: Path) -> None:
    made = collect([puzzle()])
    (tmp_path / "puzzles.json.gz").write_bytes(dumps(made))
    assert puzzle_files.load(tmp_path / "puzzles.json.gz") == made
    assert dumps(made) == dumps(collect([puzzle(), puzzle()]))


def test_a_puzzle_is_found_in_the_file_that_is_named(tmp_path: Path) -> None:
    file, own = tmp_path / "puzzles.json.gz", puzzle()
    file.write_bytes(dumps(collect([own])))
    for name in (own.id, "daily"):
        done = tribridge(
            "puzzles", "solve", name, "--file", str(file), "--answer", str(own.right[0])
        )
        (known,) = puzzle_files.load(file).puzzles
        assert known.explanation in done.stdout
        lines = known.lines()
        assert lines is not None
        assert done.stdout.rstrip().endswith(str(lines[1].result))
    assert "no puzzle" in refusal("puzzles", "solve", shipped().puzzles[0].id, "--file", str(file))
    assert tribridge("puzzles", "solve", "--file", str(file)).stdout.endswith("\n")  # Ctrl-D


def test_the_same_position_and_endings_with_hardly_a_layout_are_left_out() -> None:
    ending = replace(puzzle(), id="0000abce", layouts=2)
    assert [one.id for one in collect([puzzle(), ending, puzzle()]).puzzles] == [puzzle().id]


@pytest.mark.parametrize("kind", ["not packed", "cut", "changed", "no object"])
def test_a_damaged_file_is_refused_in_one_line(kind: str, tmp_path: Path) -> None:
    data = dumps(collect([puzzle()]))
    text = gzip.decompress(data).decode()
    damaged = {
        "not packed": b"puzzles",
        "cut": data[:-20],
        "changed": gzip.compress(text.replace('"stake":60.0', '"stake":61.0').encode()),
        "no object": gzip.compress(b"[1]"),
    }
    path = tmp_path / "damaged.gz"
    path.write_bytes(damaged[kind])
    with pytest.raises(FormatError, match=r"damaged\.gz is damaged") as caught:
        puzzle_files.load(path)
    assert "\n" not in str(caught.value)


def test_a_puzzle_is_itself_in_json() -> None:
    assert codec.loads(codec.dumps(puzzle()), Puzzle) == puzzle()


def test_what_cannot_be_answered_or_is_not_clear_is_noticed() -> None:
    def refused(bad: Puzzle) -> None:
        whole = Collection(version="1", made_by=(), puzzles=(bad,))
        with pytest.raises(FormatError, match=bad.id):
            puzzle_files.check(whole)

    puzzle_files.check(Collection(version="1", made_by=(), puzzles=(puzzle(),)))
    right, wrong, *others = puzzle().answers
    refused(replace(puzzle(), play=""))
    refused(replace(puzzle(), answers=(right,)))
    refused(replace(puzzle(), answers=(replace(right, right=False), wrong)))
    close = replace(wrong, loss=5.0)
    refused(replace(puzzle(), answers=(right, close, *others)))
    unsure = replace(wrong, network_error=8.0)
    refused(replace(puzzle(), answers=(right, unsure, *others)))


def test_an_answer_may_be_text_and_must_be_offered() -> None:
    assert puzzle().answer("DJ").right
    assert not puzzle().answer("DK").right
    with pytest.raises(IllegalActionError, match="choose one of"):
        puzzle().answer("SA")


def test_the_question_shows_nothing_hidden() -> None:
    text = str(puzzle())
    seen = puzzle().view()
    hidden = [hand for seat, hand in zip("NES", puzzle().deal.hands, strict=False) if seat != "N"]
    assert seen.seat is not None
    assert not any(str(hand) in text for hand in hidden)
    assert "finesse" not in text.lower()


def test_what_is_doubled_makes_or_fails_not_the_double() -> None:
    doubles = [one for one in shipped().puzzles if one.theme is Theme.DOUBLE]
    assert doubles
    for one in doubles:
        assert f"{one.table().auction.last_bid} makes" in one.explanation


def test_the_explanation_names_both_cards_and_the_points() -> None:
    text = puzzle().explanation
    assert "♦J" in text
    assert "♦K" in text
    assert "20 points" in text


def test_the_explanation_is_about_the_answer_that_was_given() -> None:
    beside = 0
    for one in shipped().puzzles:
        tempting = one.answer(one.tempting)
        assert one.sentences() == one.sentences(tempting) == one.sentences(one.best)
        for given in (each for each in one.answers if not each.right):
            if given is tempting or one.theme is Theme.SIGNAL:
                continue
            text = " ".join(map(str, one.sentences(given)))
            assert f"{given.loss:.0f} points more than {given.action}." in text
            assert "points more than " + str(one.tempting) + "." not in text
            beside += 1
    assert beside


def test_a_finesse_is_only_said_to_risk_what_is_made_less_often_after_it() -> None:
    """The figures of a puzzle bear out what its idea says, and no idea says which is likelier."""
    said = 0
    for one in shipped().puzzles:
        text = " ".join(map(str, one.idea()))
        assert "likely" not in text
        if "puts the contract at risk" in text:
            assert one.theme is Theme.DROP
            assert one.table().turn is one.table().contract.declarer  # type: ignore[union-attr]
            assert one.best.made > one.answer(one.tempting).made
            said += 1
    assert said


def test_hardly_a_card_is_right_without_a_reason() -> None:
    cards = [one for one in shipped().puzzles if one.view().contract is not None]
    bare = [one for one in cards if len(one.idea()) == 1]
    assert 25 * len(bare) < len(cards)


def test_no_difference_is_found_only_where_none_is() -> None:
    signals = [one for one in shipped().puzzles if one.theme is Theme.SIGNAL]
    told = [
        (one.told_apart(each), "find no difference" in " ".join(map(str, one.idea(each))))
        for one in signals
        for each in one.answers
        if not each.right
    ]
    assert {*told} == {(True, False), (False, True)}


def test_lines_with_one_end_say_that_the_contract_may_depend_on_it_elsewhere() -> None:
    told = 0
    for one in shipped().puzzles:
        if (lines := one.lines()) is None:
            continue
        less = abs(one.best.made - one.answer(one.tempting).made)
        same = lines[0].made == lines[1].made
        assert (one.elsewhere(*lines) is not None) == (same and less >= 0.05)
        told += same and less >= 0.05
    assert told


def test_every_day_has_its_puzzle_and_a_week_gets_harder() -> None:
    monday = date(2026, 11, 16)
    days = [monday + timedelta(at) for at in range(28)]
    asked = [collection.daily(day) for day in days]
    assert len({one.id for one in asked}) == len(days)
    assert asked == [collection.daily(day) for day in days]
    for week in range(4):
        ratings = [one.rating for one in asked[7 * week : 7 * week + 7]]
        assert ratings == sorted(ratings)
    few = Collection(version="1", made_by=(), puzzles=(puzzle(),))
    assert {collection.daily(day, few).id for day in days} == {puzzle().id}


def test_beginners_and_experts_both_have_weeks_of_puzzles() -> None:
    """By the bots' ratings, of which a beginner has less than 1,400 and an expert over 1,700."""
    ratings = [one.rating for one in shipped().puzzles]
    for low, high in ((0, 1400), (1400, 1550), (1550, 1700), (1700, 3000)):
        assert sum(low <= rating < high for rating in ratings) >= 4 * 7


def test_unknown_names_are_refused() -> None:
    with pytest.raises(NotFoundError, match="no puzzle 'nothing'"):
        collection.find("nothing")
    with pytest.raises(NotFoundError, match="finesse"):
        read_theme("squeeze")
    assert read_theme("Hold up") is Theme.HOLD_UP


def test_the_puzzles_of_the_package_are_sound_and_say_who_made_them() -> None:
    """Of the strategies that made them, version 2 of `learned` is gone, and has no say in them."""
    puzzle_files.check(shipped())
    assert {player_version("learned@1"), player_version("maxims")} <= {*shipped().made_by}
    assert "learned@2" in {one.name for one in shipped().made_by}
    for one in shipped().puzzles:
        assert one.source.book or one.deal == one.table().deal
        assert json.loads(codec.dumps(one))["id"] == one.id


def test_a_puzzle_names_players_not_chairs() -> None:
    """Every trick is told by who led and who won it: North, East, South or dummy."""
    told = [
        line for one in shipped().puzzles[:40] for line in str(one).splitlines() if " led " in line
    ]
    assert told
    for line in told:
        leader, _, rest = line.partition(" led ")
        assert {leader, rest.rpartition(": ")[2]} <= {"North", "East", "South", "dummy"}


def test_what_everybody_finds_and_is_better_in_every_layout_is_trivial() -> None:
    plain = replace(puzzle(), gains=1.0, costs=0.0)
    assert plain.trivial
    assert not puzzle().trivial
    assert not replace(plain, bots=plain.bots | {"maxims": 0.5}).trivial
