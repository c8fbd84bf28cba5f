"""A small puzzle for tests: the finesse of a book, with answers that are made up."""

from __future__ import annotations

from functools import cache

from tribridge.cards.cards import Card
from tribridge.game.textbook import positions
from tribridge.lab.puzzle_maker.judging import of_table
from tribridge.reviews.lines import chairs_by_seat
from tribridge.reviews.puzzles import Answer, Example, Puzzle, Source
from tribridge.reviews.themes import Theme


@cache
def puzzle() -> Puzzle:
    """Declarer to play from dummy: the jack finesses, the king does not."""
    table = next(one for one in positions() if one.id == "eight-ever").table()
    losses = {"DJ": 0.0, "DK": 20.0, "D7": 40.0, "D5": 40.0}
    assert table.position is not None
    hands = chairs_by_seat(table.position.hands, table.position.contract.declarer)
    return Puzzle(
        id="0000abcd",
        theme=Theme.FINESSE,
        **of_table(table),  # type: ignore[arg-type]
        answers=tuple(
            Answer(Card(name), not loss, 30 - loss, loss, loss / 20, loss, loss / 20, 0.5)
            for name, loss in losses.items()
        ),
        tempting=Card("DK"),
        stake=60.0,
        layouts=1000,
        gains=0.4,
        costs=0.1,
        examples=(Example(hands, 10, 9),),
        bots={"random": 0.25, "maxims": 1.0},
        source=Source(seed=1, number=2, seats=("learned",) * 3),
    )
