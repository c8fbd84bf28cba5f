"""Tables of what is solved: tiny decks (`arena.tiny`), and what standings of a rubber are worth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tribridge.cards.deals import Seat
from tribridge.common.errors import quantity
from tribridge.common.tables import Cell, StudyTable, table
from tribridge.game.laws import Laws
from tribridge.game.rubber_worth import rubber_worth
from tribridge.game.standing import Standing

if TYPE_CHECKING:
    from tribridge.lab.tiny.measuring import SolvedGame
    from tribridge.lab.tiny.team import Exact
    from tribridge.lab.tiny.treeplex import Judgement

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


def exact_table(exact: Exact) -> StudyTable:
    """The value of a tiny game and how far strategies fall short of it."""
    value = exact.value
    played = [(strategy.name, strategy.declarer, strategy.defence) for strategy in exact.strategies]
    return table(
        f"exact-{exact.deck}-{exact.strain.letter}",
        f"A deck of {exact.deck} in {exact.strain.letter}: the exact value",
        [("perfect play", value.tricks, value.tricks), *played],
        f"Tricks a deal against the best answer. The value is {value.tricks:.6f} (between "
        f"{value.secured:.6f} and {value.held:.6f}); {value.double_dummy:.6f} when all cards are "
        "seen. The defenders may agree on a mixture of joint plans before the deal.",
        columns={
            "strategy": lambda row: row[0],
            "takes as declarer": lambda row: row[1],
            "gives as defence": lambda row: row[2],
            "declarer's distance": lambda row: value.tricks - row[1],
            "defence's distance": lambda row: row[2] - value.tricks,
        },
    )


def solved_tables(solved: SolvedGame) -> list[StudyTable]:
    """CFR+ from each start, then the strategies measured."""
    name, title = f"solved-{solved.deck}", f"A deck of {solved.deck}, {solved.title}"
    players = solved.players
    judged = (*players, *(f"{player}'s gain" for player in players), "NashConv")
    team = any(strategy.team is not None for strategy in solved.strategies)

    def cells(judgement: Judgement, *more: float) -> tuple[Cell, ...]:
        numbers = (*judgement.values, *judgement.gains, judgement.nash_conv, *more)
        return tuple(round(number, 4) + 0.0 for number in numbers)  # 0.0 in place of -0.0

    starts = StudyTable(
        f"{name}-starts",
        f"{title}: CFR+, {quantity(solved.iterations, 'iteration')}",
        ("start", *judged, "seconds"),
        tuple((s.name, *cells(s.judged), round(s.seconds, 1)) for s in solved.starts),
        f"{solved.deals:,} deals, {solved.ends:,} ends, {sum(solved.sets):,} information sets. "
        f"Values are {solved.unit} a deal; a gain is what the player's best response to the others "
        "adds to the value, and NashConv is the sum of the gains.",
    )
    losses = tuple(f"{player}'s loss" for player in players)
    strategies = StudyTable(
        f"{name}-strategies",
        f"{title}: strategies in all seats",
        ("strategy", *judged, *losses, *["declarer v team"] * team),
        tuple(
            (s.name, *cells(s.judged, *s.loss), *[s.team and round(s.team, 4)] * team)
            for s in solved.strategies
        ),
        "A loss is what the player gives up by playing this strategy instead of CFR+'s, against "
        "the others' of CFR+ from the first start."
        + (" Declarer v team: declarer's tricks if both defenders respond together." * team),
    )
    return [starts, strategies]


def worth_tables(laws: Laws) -> tuple[StudyTable, StudyTable]:
    """What games won are worth, and what a part score adds when nobody else has one."""
    worth = rubber_worth(laws)

    def settled(below: int, games: tuple[int, int, int]) -> float:
        return worth.settlement(Standing((below, 0, 0), games))[Seat.NORTH]

    fresh = {name: Standing(games=games) for name, games in GAMES.items()}
    step = worth.unit * -(-laws.game // (_ROWS * worth.unit))
    scores = range(step, laws.game, step)
    return (
        StudyTable(
            "worth-games",
            f"What games are worth ({laws.name})",
            ("", *GAMES),
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
            ("below the line", *GAMES),
            tuple(
                (str(below), *(settled(below, won) - settled(0, won) for won in GAMES.values()))
                for below in scores
            ),
            "Your expected settlement with so many points below the line, less that with none, by "
            "who has won a game; the opponents have no part scores.",
        ),
    )
