"""Tables of what standings of a rubber are worth."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from tribridge.cards.deals import Seat
from tribridge.common.tables import POINTS, Column, StudyTable
from tribridge.game.laws import Laws
from tribridge.game.rubber_worth import rubber_worth
from tribridge.game.standing import Standing

GAMES: Final = {
    "nobody": (0, 0, 0),
    "you": (1, 0, 0),
    "one other": (0, 1, 0),
    "you and one": (1, 1, 0),
    "both others": (0, 1, 1),
    "everybody": (1, 1, 1),
}
"""Who has won a game; you are North."""
_ROWS: Final = 6


def worth_tables(laws: Laws) -> tuple[StudyTable, StudyTable]:
    """What games won are worth, and what a part score adds when nobody else has one."""
    worth = rubber_worth(laws)

    def settled(below: int, games: tuple[int, int, int]) -> float:
        return worth.settlement(Standing((below, 0, 0), games))[Seat.NORTH]

    fresh = {name: Standing(games=games) for name, games in GAMES.items()}
    step = worth.unit * -(-laws.game // (_ROWS * worth.unit))
    points = replace(POINTS, digits=0)
    scores = range(step, laws.game, step)
    return (
        StudyTable(
            "worth-games",
            f"What games are worth ({laws.name})",
            (Column(), *(Column(name, digits=1) for name in GAMES)),
            (
                ("settlement", *(settled(0, games) for games in GAMES.values())),
                ("deals to come", *(worth.deals(standing) for standing in fresh.values())),
            ),
            "The expected settlement of what is still to be scored, by who has won a game, without "
            "part scores.",
        ),
        StudyTable(
            "worth-part-scores",
            f"What a part score adds ({laws.name})",
            (Column("below the line"), *(points.named(name) for name in GAMES)),
            tuple(
                (str(below), *(settled(below, won) - settled(0, won) for won in GAMES.values()))
                for below in scores
            ),
            "Your expected settlement with so many points below the line, less that with none, by "
            "who has won a game; the opponents have no part scores.",
        ),
    )
