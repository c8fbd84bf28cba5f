"""Lines: every card legal, the tricks those of double dummy, sentences that the cards bear out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tribridge.cards.cards import FULL_DECK, Card
from tribridge.club.puzzles import shipped
from tribridge.common.errors import FormatError
from tribridge.game.position import Position
from tribridge.game.textbook import positions
from tribridge.game.tricks import Chair
from tribridge.reviews.lines import Line, PlayedLine, chairs_by_seat, difference, parting
from tribridge.reviews.themes import Theme
from tribridge.strategies.players.search.evaluation import solver_of

LINED = [puzzle for puzzle in shipped().puzzles if puzzle.line is not None]


def test_every_card_puzzle_but_a_signal_has_its_lines() -> None:
    for puzzle in shipped().puzzles:
        card = isinstance(puzzle.best.action, Card)
        assert (puzzle.line is not None) is (card and puzzle.theme is not Theme.SIGNAL)


def test_the_lines_are_played_to_the_end_and_reach_what_double_dummy_says() -> None:
    solver = solver_of(FULL_DECK)
    for puzzle in LINED:
        lines = puzzle.lines()
        assert lines is not None
        values = solver.cards(lines[0].start)
        for line in lines:
            assert line.end.over
            assert line.end.won == values[line.cards[0]]
        better = lines[0].end.won - lines[1].end.won
        assert (better > 0) if lines[0].start.declaring else (better < 0)


def test_lines_part_in_the_first_trick_that_different_sides_win() -> None:
    parted = 0
    for puzzle in shipped().puzzles[::9]:
        if (lines := puzzle.lines()) is None:
            continue
        found, tricks = parting(*lines), [[step.winner % 2 for step in one.tricks] for one in lines]
        if found is None:
            assert tricks[0] == tricks[1]
            continue
        number, first, second = found
        number -= len(lines[0].start.tricks)  # counted over the deal
        parted += 1
        assert [one[: number - 1] for one in tricks] == [tricks[0][: number - 1]] * 2
        assert [one[number - 1] for one in tricks] == [first.winner % 2, second.winner % 2]
        assert first.winner % 2 != second.winner % 2
    assert parted > 20


def test_what_a_line_gains_is_a_trick_that_it_wins() -> None:
    given_up = 0
    for puzzle in LINED:
        lines = puzzle.lines()
        assert lines is not None
        found, told = parting(*lines), difference(*lines)
        assert (found is None) is (told is None)
        if found is None or told is None:
            continue
        own = lines[0].start.declaring
        won, lost = (
            {step.cards[(step.winner - step.leader) % 4] for step in line.tricks
             if step.winner.declaring is own}
            for line in lines
        )  # fmt: skip
        if found[1].winner.declaring is own:
            assert "makes the difference" in str(told)
            continue
        given_up += 1
        assert f"gives up trick {found[0]}" in str(told)
        gained, _, instead = str(told).partition("; after ")
        assert won - lost == {card for card in won | lost if str(card) in gained.split(", but ")[1]}
        assert all(str(card) in instead for card in lost - won)
    assert given_up > 20


def test_a_trick_that_the_winning_line_loses_is_not_its_gain() -> None:
    (puzzle,) = (puzzle for puzzle in LINED if puzzle.id == "a0f3af92")
    lines = puzzle.lines()
    assert lines is not None
    told = str(difference(*lines))
    assert "makes the difference" not in told
    assert "♦K wins one; after ♠7 it wins none" in told


def test_the_lines_show_the_tricks_that_their_difference_speaks_of() -> None:
    for puzzle in LINED:
        lines = puzzle.lines()
        assert lines is not None
        if (found := parting(*lines)) is None:
            continue
        number, first, second = found
        for line, step in zip(lines, (first, second), strict=True):
            assert line.shown[number - line.first] == step, puzzle.id
            if line.rest is not None and "decides it" in str(line.rest):  # in its last trick
                decided = [now.after.won >= now.after.needed or now.after.to_defeat <= 0
                           for now in line.shown]  # fmt: skip
                assert decided.index(True) == len(line.shown) - 1, puzzle.id
        told = str(difference(*lines))
        if "gives up" in told:
            parts = zip(lines, told.partition("; after ")[::2], strict=True)
            for line, text in parts:
                shown, all_tricks = (
                    [step.cards[(step.winner - step.leader) % 4] for step in steps]
                    for steps in (line.shown, line.tricks)
                )
                named = text.replace(str(line.cards[0]), "", 1)
                assert all(c in shown for c in all_tricks if str(c) in named), puzzle.id


def test_the_layout_of_a_line_is_one_that_the_player_can_imagine() -> None:
    """It has the cards in sight where they are, and says whether it is the deal as it lay."""
    for puzzle in LINED:
        lines, table, seen = puzzle.lines(), puzzle.table(), puzzle.view().position
        assert lines is not None
        assert table.position is not None
        assert seen is not None
        assert puzzle.line is not None
        hands = lines[0].start.hands
        assert all(mask in (0, hand) for mask, hand in zip(seen.hands, hands, strict=True))
        assert puzzle.line.actual is (hands == table.position.hands)
        for chair, hand in enumerate(hands):
            assert hand.bit_count() == table.position.hands[chair].bit_count()
            suits = {card // 13 for card in range(52) if hand >> card & 1}
            assert not any(seen.voids[chair] >> suit & 1 for suit in suits)


def test_what_is_shown_and_what_is_left_are_the_whole_line() -> None:
    for puzzle in LINED[:60]:
        for line in puzzle.lines() or ():
            left = line.tricks[len(line.shown) :]
            assert (line.rest is None) is (not left)
            assert line.tricks[: len(line.shown)] == line.shown
            assert str(line.end.won) in str(line.result)
            assert ("makes" in str(line.result)) is (line.end.won >= line.end.needed)
            for step in line.shown:
                assert str(step.sentence).endswith(".")
                assert "{" not in str(step.sentence)


def start(declarer: str, left: str, dummy: str, right: str) -> Position:
    """Four hands at notrump, as cards; the left defender leads."""
    table = next(one for one in positions() if one.id == "eight-ever").table()
    assert table.contract is not None
    hands = [
        sum(Card(name).bit for name in hand.split()) for hand in (declarer, left, dummy, right)
    ]
    return Position(table.contract, (hands[0], hands[1], hands[2], hands[3]))


@pytest.mark.parametrize(
    ("hands", "play", "sentence"),
    [
        (("SA S4", "S5 S6", "SQ S3", "SK S2"), "S5 SQ S2 S4", "does not play ♠K"),
        (("SA SQ", "S5 S6", "S4 S3", "SK S2"), "S5 S3 S2 SQ", "had to play before it"),
        (("SA S4", "S5 S6", "SQ S3", "SK H2"), "S5 S3 SK SA", "♠A wins, and ♠K falls"),
        (("S4 S3", "SA S5", "S8 S7", "S9 S6"), "SA S7 S6 S3", "cashes ♠A"),
        (("S4 S3", "SA S5", "S8 S7", "H9 S6"), "SA S7 S6 S3", "cashes ♠A"),
        (("S4 S3", "SA S5", "S8 S7", "H9 H6"), "SA S7 H6 S3", "discards ♥6"),
        (("SK S3", "S2 S5", "S8 S7", "SA S6"), "S2 S7 SA S3", "wins with ♠A"),
    ],
)
def test_a_sentence_says_why_a_trick_was_won(
    hands: tuple[str, str, str, str], play: str, sentence: str
) -> None:
    line = PlayedLine(start(*hands), tuple(Card(name) for name in play.split()))
    (step,) = line.tricks
    assert sentence in str(step.sentence)


def test_a_line_that_is_illegal_cut_off_or_worse_is_refused() -> None:
    puzzle = next(one for one in LINED if len(one.line.best.split()) > 12)  # type: ignore[union-attr]
    line = puzzle.line
    assert line is not None
    puzzle.check()
    cards = line.best.split()
    bad = {
        "cannot be played": Line(line.hands, False, " ".join([cards[0], cards[0]]), line.other),
        "stops early": Line(line.hands, False, " ".join(cards[:4]), line.other),
        "does not begin": Line(line.hands, False, line.other, line.best),
    }
    for refusal, other in bad.items():
        with pytest.raises(FormatError, match=refusal):
            replace(puzzle, line=other).check()


def test_hands_by_chair_and_by_seat_are_the_same_hands() -> None:
    for puzzle in LINED[:20]:
        assert puzzle.line is not None
        contract = puzzle.table().contract
        assert contract is not None
        chairs = puzzle.line.chairs(contract.declarer)
        assert chairs_by_seat(chairs, contract.declarer) == puzzle.line.hands
        assert chairs[Chair.DUMMY] == puzzle.line.hands[3].mask
