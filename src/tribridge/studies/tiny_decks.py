"""Tables of tiny decks solved by CFR+ (`training.tiny`), and the team's best response in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from tribridge.arena.exact import Spot, TinyGame
from tribridge.cards import Card, Deck, Strain
from tribridge.errors import quantity
from tribridge.game.tricks import Chair
from tribridge.studies.tables import Cell, StudyTable

if TYPE_CHECKING:
    from tribridge.training.tiny.card_play import CardPlay
    from tribridge.training.tiny.cfr import Judgement
    from tribridge.training.tiny.measuring import Solved
    from tribridge.training.tiny.treeplex import Floats


def team_response(play: CardPlay, profile: Sequence[Floats]) -> float:
    """Declarer's tricks with a profile's strategy if both defenders respond as one team.

    The team may agree on any joint plan before the deal (`arena.exact`); after it, each defender
    sees only dummy, their own hand and the cards played.
    """
    layouts = play.layouts
    chances = dict(_declarer_choices(play, profile[0]))
    total = 0.0
    for dummy in layouts.hands.tolist():
        game = _laid_out(layouts.deck, play.strain, dummy)
        plan = np.ones(len(game.parents))
        for (spot, card), number in game.sequences.items():
            plan[number] = plan[game.parents[number]] * chances[dummy, spot][card]
        total += game.team_answer(plan)[0][0]
    return total / len(layouts.hands)


@lru_cache(maxsize=28)  # the dummies of a deck of eight cards
def _laid_out(deck: Deck, strain: Strain, dummy: int) -> TinyGame:
    """Kept for the next strategy to be measured."""
    return TinyGame(deck, strain, dummy)


def _declarer_choices(
    play: CardPlay, strategy: Floats
) -> Iterable[tuple[tuple[int, Spot], dict[Card, float]]]:
    """How often declarer chooses each card, by dummy and by position as `arena.exact` has it."""
    tree = play.game.trees[0]
    for first, spot in zip(tree.firsts.tolist(), play.spots[0], strict=True):
        hand, _, dummy, _ = play.layouts.chairs[spot.deal].tolist()
        chosen = strategy[first : first + len(spot.options)].tolist()
        place = Chair(spot.chair), hand, spot.played
        yield (dummy, place), dict(zip(spot.options, chosen, strict=True))


def solved_tables(solved: Solved) -> list[StudyTable]:
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
    team = any(one.team is not None for one in solved.strategies)
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
                one.name,
                *_judged(one.judged),
                *map(_rounded, one.loss),
                *((None if one.team is None else round(one.team, 4),) if team else ()),
            )
            for one in solved.strategies
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
