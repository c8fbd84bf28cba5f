"""Tables of tiny decks that were solved."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from tribridge.common.errors import quantity
from tribridge.common.tables import TRICKS, Cell, Column, StudyTable, table

if TYPE_CHECKING:
    from tribridge.lab.tiny.measuring import SolvedGame
    from tribridge.lab.tiny.team import Exact
    from tribridge.lab.tiny.treeplex import Judgement

_DIGITS: Final = 4


def exact_table(exact: Exact) -> StudyTable:
    """The value of a tiny game and how far strategies fall short of it."""
    value, tricks = exact.value, replace(TRICKS, digits=_DIGITS)
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
            tricks.named("takes as declarer"): lambda row: row[1],
            tricks.named("gives as defence"): lambda row: row[2],
            tricks.named("declarer's distance"): lambda row: value.tricks - row[1],
            tricks.named("defence's distance"): lambda row: row[2] - value.tricks,
        },
    )


def solved_tables(solved: SolvedGame) -> list[StudyTable]:
    """CFR+ from each start, then the strategies measured."""
    name, title = f"solved-{solved.deck}", f"A deck of {solved.deck}, {solved.title}"
    players = solved.players
    stake = Column(unit=solved.unit, digits=_DIGITS)
    gains = (f"{player}'s gain" for player in players)
    judged = tuple(map(stake.named, (*players, *gains, "NashConv")))
    team = any(strategy.team is not None for strategy in solved.strategies)

    def cells(judgement: Judgement, *more: float) -> tuple[Cell, ...]:
        numbers = (*judgement.values, *judgement.gains, judgement.nash_conv, *more)
        return tuple(round(number, _DIGITS) + 0.0 for number in numbers)  # 0.0 in place of -0.0

    starts = StudyTable(
        f"{name}-starts",
        f"{title}: CFR+, {quantity(solved.iterations, 'iteration')}",
        (Column("start"), *judged, Column("seconds", "s", digits=_DIGITS)),
        tuple((s.name, *cells(s.judged), round(s.seconds, 1)) for s in solved.starts),
        f"{solved.deals:,} deals, {solved.ends:,} ends, {sum(solved.sets):,} information sets. "
        f"Values are {solved.unit} a deal; a gain is what the player's best response to the others "
        "adds to the value, and NashConv is the sum of the gains.",
    )
    losses = (stake.named(f"{player}'s loss") for player in players)
    strategies = StudyTable(
        f"{name}-strategies",
        f"{title}: strategies in all seats",
        (Column("strategy"), *judged, *losses, *[stake.named("declarer v team")] * team),
        tuple(
            (s.name, *cells(s.judged, *s.loss), *[s.team and round(s.team, _DIGITS)] * team)
            for s in solved.strategies
        ),
        "A loss is what the player gives up by playing this strategy instead of CFR+'s, against "
        "the others' of CFR+ from the first start."
        + (" Declarer v team: declarer's tricks if both defenders respond together." * team),
    )
    return [starts, strategies]
