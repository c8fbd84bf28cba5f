"""The rules of the themes, each on a diagram of the books."""

from __future__ import annotations

import pytest

import tribridge as tb
from tribridge.cards.cards import Card
from tribridge.game.textbook import positions
from tribridge.game.tricks import Chair
from tribridge.lab.puzzle_maker.themes import call_theme, card_theme
from tribridge.reviews.themes import Theme
from tribridge.reviews.values import Key
from tribridge.strategies.protocol import position_of

BOOK = {diagram.id: diagram for diagram in positions()}


@pytest.mark.parametrize(
    ("name", "tempting", "theme"),
    [
        ("lead-nt-sequence", "C9", Theme.LEAD),
        ("partner-ruff", "CA", Theme.LEAD),
        ("third-finesse-queen", "SK", Theme.FINESSE),
        ("eight-ever", "DK", Theme.FINESSE),
        ("nine-never", "DJ", Theme.FINESSE),
        ("run-queen", "CA", Theme.FINESSE),
        ("lead-towards", "CA", Theme.FINESSE),
        ("holdup-first", "SA", Theme.HOLD_UP),
        ("holdup-defender", "DA", Theme.HOLD_UP),
        ("holdup-enough", "S9", Theme.HOLD_UP),
        ("overtake", "DJ", Theme.ENTRY),
        ("third-unblock-ace", "S5", Theme.ENTRY),
        ("win-in-hand", "SK", Theme.ENTRY),
        ("duck-entry", "DA", Theme.ENTRY),
        ("unblock-short", "CA", Theme.ENTRY),
        ("throw-in", "SA", Theme.THROW_IN),
        ("encourage-heeded", "C8", Theme.CASH_OUT),
        ("draw-trumps", "DA", Theme.TRUMPS),
        ("ruff-first", "DA", Theme.TRUMPS),
        ("uppercut", "CJ", Theme.TRUMPS),
        ("discard-guard", "CK", Theme.DISCARD),
        ("cover-queen", "D7", Theme.PLAY),
    ],
)
def test_a_position_of_the_books_has_the_theme_of_its_principle(
    name: str, tempting: str, theme: Theme
) -> None:
    diagram = BOOK[name]
    best = min(diagram.cards, key=lambda card: card.index)
    assert card_theme(position_of(diagram.view()), best, Card(tempting)) is theme


@pytest.mark.parametrize(("chance", "theme"), [(0.9, Theme.COUNTING), (0.5, Theme.FINESSE)])
def test_a_finesse_that_a_counted_hand_settles_is_counting(chance: float, theme: Theme) -> None:
    position = position_of(BOOK["no-finesse-shown-out"].view())  # the left defender is void
    key = Key(Card("DQ"), Chair.RIGHT, chance)
    assert card_theme(position, Card("DK"), Card("DJ"), key) is theme


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
