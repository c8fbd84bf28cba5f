"""Tables of tiny decks solved by CFR+ (`arena.tiny`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tribridge.errors import quantity
from tribridge.studies.tables import Cell, StudyTable

if TYPE_CHECKING:
    from tribridge.arena.tiny.measuring import SolvedGame
    from tribridge.arena.tiny.treeplex import Judgement


def solved_tables(solved: SolvedGame) -> list[StudyTable]:
    """CFR+ from each start, then the strategies measured."""
    name = f"solved-{solved.deck}"
    players = solved.players
    title = f"A deck of {solved.deck}, {solved.title}"
    sets = sum(solved.sets)
    starts = StudyTable(
        f"{name}-starts",
        f"{title}: CFR+, {quantity(solved.iterations, 'iteration')}",
        ("start", *_judged_columns(players), "seconds"),
        tuple(
            (start.name, *_judged(start.judged), round(start.seconds, 1)) for start in solved.starts
        ),
        f"{solved.deals:,} deals, {solved.ends:,} ends, {sets:,} information sets. Values are "
        f"{solved.unit} a deal; a gain is what the player's best response to the others adds to "
        "the value, and NashConv is the sum of the gains.",
    )
    team = any(strategy.team is not None for strategy in solved.strategies)
    strategies = StudyTable(
        f"{name}-strategies",
        f"{title}: strategies in all seats",
        (
            "strategy",
            *_judged_columns(players),
            *(f"{player}'s loss" for player in players),
            *(("declarer v team",) if team else ()),
        ),
        tuple(
            (
                strategy.name,
                *_judged(strategy.judged),
                *map(_rounded, strategy.loss),
                *((None if strategy.team is None else round(strategy.team, 4),) if team else ()),
            )
            for strategy in solved.strategies
        ),
        "A loss is what the player gives up by playing this strategy instead of CFR+'s, against "
        "the others' of CFR+ from the first start."
        + (" Declarer v team: declarer's tricks if both defenders respond together." * team),
    )
    return [starts, strategies]


def _judged_columns(players: Sequence[str]) -> tuple[str, ...]:
    return (*players, *(f"{player}'s gain" for player in players), "NashConv")


def _judged(judged: Judgement) -> tuple[Cell, ...]:
    return tuple(map(_rounded, (*judged.values, *judged.gains, judged.nash_conv)))


def _rounded(value: float) -> float:
    return round(value, 4) + 0.0  # 0.0 in place of -0.0
