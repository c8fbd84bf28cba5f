"""Themes are proved by the cards: on diagrams of the books, refuted by others, and once more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import tribridge as tb
from tests.library.cli.helpers import tribridge
from tribridge.cards.cards import Card, cards_of
from tribridge.club.puzzles import Puzzle, shipped
from tribridge.common import codec
from tribridge.game.position import Position
from tribridge.game.textbook import positions
from tribridge.game.tricks import Chair
from tribridge.lab.puzzle_maker.making import dumps, with_themes
from tribridge.lab.puzzle_maker.themes import call_theme, card_theme
from tribridge.reviews import puzzle_files
from tribridge.reviews.lines import PlayedLine, play_line
from tribridge.reviews.puzzle_files import digest_of
from tribridge.reviews.themes import Theme
from tribridge.reviews.values import Key
from tribridge.strategies.protocol import position_of

BOOK = {diagram.id: diagram for diagram in positions()}


def lines(
    name: str, tempting: str, swapped: tuple[str, ...] = (), best: str = ""
) -> tuple[Position, PlayedLine, PlayedLine]:
    """A position of the books with its two lines; pairs of cards may change places."""
    diagram = BOOK[name]
    right = Card(best) if best else max(diagram.cards, key=lambda card: card.index)
    position, table = position_of(diagram.view()), diagram.table()
    assert table.position is not None
    hands = [*table.position.hands]
    for first, second in zip(swapped[::2], swapped[1::2], strict=True):
        bits = Card(first).bit | Card(second).bit
        hands = [hand ^ bits if (hand & bits).bit_count() == 1 else hand for hand in hands]
    start = position.with_hands((hands[0], hands[1], hands[2], hands[3]))
    best_line, other = (PlayedLine(start, play_line(start, c)) for c in (right, Card(tempting)))
    return position, best_line, other


@pytest.mark.parametrize(
    ("name", "tempting", "theme"),
    [
        ("lead-nt-sequence", "C9", Theme.LEAD),
        ("partner-ruff", "CA", Theme.RUFF),
        ("eight-ever", "DK", Theme.FINESSE),
        ("nine-never", "DJ", Theme.DROP),
        ("lead-towards", "CA", Theme.FINESSE),
        ("holdup-first", "SA", Theme.HOLD_UP),
        ("holdup-defender", "DA", Theme.HOLD_UP),
        ("holdup-enough", "S9", Theme.TAKE),
        ("overtake", "DJ", Theme.ENTRY),
        ("third-unblock-ace", "S5", Theme.ENTRY),
        ("win-in-hand", "SK", Theme.ENTRY),
        ("throw-in", "SA", Theme.THROW_IN),
        ("ruff-first", "DA", Theme.RUFF),
        ("uppercut", "CJ", Theme.RUFF),
        ("discard-guard", "CK", Theme.DISCARD),
        ("cover-queen", "D7", Theme.PLAY),
    ],
)
def test_a_position_of_the_books_has_the_theme_that_its_lines_prove(
    name: str, tempting: str, theme: Theme
) -> None:
    assert card_theme(*lines(name, tempting)) is theme


@pytest.mark.parametrize(
    ("name", "tempting", "swapped", "theme"),
    [
        ("eight-ever", "DK", ("DQ", "S2"), Theme.FINESSE),
        ("throw-in", "SA", ("SK", "S8"), Theme.THROW_IN),
    ],
)
def test_other_hidden_cards_refute_a_theme(
    name: str, tempting: str, swapped: tuple[str, ...], theme: Theme
) -> None:
    """The same card in the same position: a finesse of nobody's queen is none."""
    assert card_theme(*lines(name, tempting)) is theme
    assert card_theme(*lines(name, tempting, swapped)) is not theme


@pytest.mark.parametrize(("chance", "theme"), [(0.9, Theme.COUNTING), (0.5, Theme.TAKE)])
def test_a_trick_that_a_counted_hand_settles_is_counting(chance: float, theme: Theme) -> None:
    position, best, other = lines(
        "no-finesse-shown-out", "DJ", best="DK"
    )  # the left defender is void
    key = Key(Card("DQ"), Chair.RIGHT, chance)
    assert card_theme(position, best, other, key) is theme


@pytest.mark.parametrize(
    ("auction", "best", "theme"),
    [
        ("pass", "1NT", Theme.OPENING),
        ("1NT", "2H", Theme.OVERCALL),
        ("1NT", "X", Theme.DOUBLE),
        ("1NT X pass", "XX", Theme.DOUBLE),
        ("1NT", "pass", Theme.PASS),
    ],
)
def test_a_call_has_the_theme_of_what_it_does(auction: str, best: str, theme: Theme) -> None:
    table = tb.new_table(seed=1, auction=auction, doubles=True)
    call = table.apply(best).history[-1]
    assert not isinstance(call, Card)
    assert call_theme(tb.view(table, table.turn), call) is theme


class Told:
    """What the lines of a puzzle show, worked out from records of the tricks alone."""

    def __init__(self, puzzle: Puzzle) -> None:
        both = puzzle.lines()
        assert both is not None
        self.start, self.puzzle = both[0].start, puzzle
        self.best, self.tempting = (line.cards[0] for line in both)
        self.won, self.lost = (line.end.tricks[len(self.start.tricks) :] for line in both)
        self.ends = [line.end for line in both]
        self.side = self.start.chair % 2
        self.trump = self.start.contract.bid.strain.trump

    def ours(self, chair: int) -> bool:
        return chair % 2 == self.side

    def winning(self, trick: tb.Trick) -> Card:
        return trick.cards[(trick.winner - trick.leader) % 4]

    def theirs_above(self, card: Card) -> bool:
        """Whether the others hold, or have on the table, a higher card of the suit."""
        masks = [hand for chair, hand in enumerate(self.start.hands) if not self.ours(chair)]
        held = {other for mask in masks for other in cards_of(mask)} | {*self.start.trick}
        return any(other.suit is card.suit and other.rank > card.rank for other in held)

    @property
    def shown_out(self) -> list[tuple[int, tb.Suit]]:
        """Who did not follow suit, to which suit."""
        start = self.start
        tricks = [(one.leader, one.cards) for one in start.tricks] + [(start.leader, start.trick)]
        return [
            ((leader + at) % 4, cards[0].suit)
            for leader, cards in tricks
            for at, played in enumerate(cards)
            if played.suit is not cards[0].suit
        ]

    def may_lose(self, card: Card) -> bool:
        """Whether it depends on two hands out of sight, one of them still to play, to the solver.

        The hand and dummy's cards are seen; what shows out of the suit holds none of it.
        """
        start = self.start
        hidden = {0, 1, 3} - ({0} if self.side == 0 else {start.chair})
        out = {chair for chair, led in self.shown_out if led is card.suit}
        unseen = {one for chair in hidden for one in cards_of(start.hands[chair])}
        if not any(one.suit is card.suit and one.rank > card.rank for one in unseen):
            return False
        yet = {(start.chair + at) % 4 for at in range(1, 4 - len(start.trick))}
        theirs = {chair for chair in yet & hidden - out if not self.ours(chair)}
        return len(hidden - out) > 1 and bool(theirs)

    def ruffs(self, tricks: tuple[tb.Trick, ...], ours: bool) -> int:
        return sum(
            self.winning(one).suit is self.trump is not one.cards[0].suit
            for one in tricks
            if self.ours(one.winner) is ours
        )


def finesse(told: Told) -> bool:
    first = told.won[0]
    won = told.winning(first)
    return told.ours(first.winner) and told.theirs_above(won) and told.may_lose(won)


def drop(told: Told) -> bool:
    higher = told.best.suit is told.tempting.suit and told.best.rank > told.tempting.rank
    return higher and told.may_lose(told.tempting)


def counting(told: Told) -> bool:
    """A hidden player has played another suit to a lead of one that is still held out of sight."""
    hidden = {0, 1, 3} - ({0} if told.side == 0 else {told.start.chair})
    unseen = {one.suit for chair in hidden for one in cards_of(told.start.hands[chair])}
    return any(chair in hidden and suit in unseen for chair, suit in told.shown_out)


def hold_up(told: Told) -> bool:
    later = [told.winning(one).suit for one in told.won[1:] if told.ours(one.winner)]
    return not told.ours(told.won[0].winner) and told.tempting.suit in later


def entry(told: Told) -> bool:
    winners = told.won[0].winner, told.lost[0].winner
    return all(map(told.ours, winners)) and winners[0] != winners[1]


def cash_out(told: Told) -> bool:
    """Nothing is finessed or ruffed before the side has what it needs."""
    start, ours = told.start, 0
    goal = start.needed - start.won if start.declaring else start.to_defeat
    for trick in told.won:
        if ours == goal:
            break
        if not told.ours(trick.winner) or told.winning(trick).suit is not trick.cards[0].suit:
            return False
        ours += 1
    return ours == goal


PROOFS: dict[Theme, Callable[[Told], bool]] = {
    Theme.FINESSE: finesse,
    Theme.DROP: drop,
    Theme.HOLD_UP: hold_up,
    Theme.TAKE: lambda told: told.ours(told.won[0].winner) > told.ours(told.lost[0].winner),
    Theme.DUCK: lambda told: told.ours(told.won[0].winner) < told.ours(told.lost[0].winner),
    Theme.ENTRY: entry,
    Theme.COUNTING: counting,
    Theme.CASH_OUT: cash_out,
    Theme.DRAW_TRUMPS: lambda told: (
        told.best.suit is told.trump
        and told.ruffs(told.won, ours=False) < told.ruffs(told.lost, ours=False)
    ),
    Theme.RUFF: lambda told: told.best.suit is told.trump or told.ruffs(told.won, ours=True) > 0,
    Theme.DISCARD: lambda told: (
        bool(told.start.trick) and told.best.suit not in (told.start.trick[0].suit, told.trump)
    ),
    Theme.THROW_IN: lambda told: not told.ours(told.won[0].winner),
    Theme.LEAD: lambda told: not told.start.trick,
}


def test_the_lines_of_every_puzzle_in_the_package_bear_its_theme_out() -> None:
    asked = [one for one in shipped().puzzles if one.theme in PROOFS and one.line is not None]
    assert len({one.theme for one in asked}) >= 8
    wrong = [one.id for one in asked if not PROOFS[one.theme](Told(one))]
    assert not wrong
    shuffled = [one for one in asked if one.theme is not Theme.FINESSE]
    assert not all(finesse(Told(one)) for one in shuffled), "the check can fail"


@pytest.mark.parametrize("one", [one for one in shipped().puzzles if one.theme is Theme.FINESSE])
def test_what_can_win_in_a_finesse_is_the_card_that_is_named(one: Puzzle) -> None:
    told, title = Told(one), str(one.idea()[0])
    winner = told.winning(told.won[0])
    assert str(winner) in title
    if winner != told.best:
        assert f"{winner} may win" in title or f"towards {winner}" in title


def test_the_package_has_the_themes_that_its_lines_prove() -> None:
    """What is shipped is what `tribridge puzzles themes` makes."""
    assert with_themes(shipped()) == shipped()


def test_the_command_proves_a_stored_theme_again(tmp_path: Path) -> None:
    right = shipped().puzzles[0]
    wrong = replace(right, theme=Theme.DUCK if right.theme is not Theme.DUCK else Theme.TAKE)
    (tmp_path / "one.gz").write_bytes(
        dumps(
            replace(
                shipped(),
                puzzles=(wrong,),
                digest=digest_of(codec.plain((wrong,), tuple[Puzzle, ...])),
            )
        )
    )
    done = tribridge("puzzles", "themes", str(tmp_path / "one.gz"))
    assert "1 theme changed" in done.stdout
    assert puzzle_files.load(tmp_path / "one.gz").puzzles == (right,)
