"""Textbook positions: how many strategies play as the books do.

The fast strategies choose when the study runs. Those that search take minutes: their cards are in
`textbook.json`, written by `benchmarks/textbook.py`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import resources
from typing import TYPE_CHECKING, Final, cast

from tribridge import stats
from tribridge.cards import Card
from tribridge.game.textbook import positions
from tribridge.strategies import decision_rng, find_player
from tribridge.studies.tables import StudyTable, in_percent, table

if TYPE_CHECKING:
    from tribridge.strategies.protocol import Player

FAST: Final = ("random", "capture", "maxims", "learned")
SLOW: Final = ("learned:layouts=40", "sampling:layouts=12")

Cards = Mapping[str, str]
"""The card that a strategy plays in each position, by the position's id."""


def cards_of(strategy: str) -> dict[str, str]:
    """The cards that a strategy plays, one position after another."""
    player = cast("Player", find_player(strategy))
    return {
        position.id: str(player.card(position.view(), decision_rng(0, at, 0, 0)).action)
        for at, position in enumerate(positions())
    }


def shipped_cards() -> dict[str, Cards]:
    """The cards of the strategies that search, chosen beforehand."""
    file = resources.files("tribridge.studies").joinpath("textbook.json")
    cards: dict[str, Cards] = json.loads(file.read_text("utf-8"))
    return cards


def right(cards: Cards) -> int:
    """How many of the cards are those of the books."""
    return sum(Card(cards[position.id]) in position.cards for position in positions())


def counts() -> dict[str, int]:
    """How many positions each strategy plays as the books do."""
    cards = {**{name: cards_of(name) for name in FAST}, **shipped_cards()}
    return {name: right(chosen) for name, chosen in cards.items()}


def table_of(right_counts: Mapping[str, int]) -> StudyTable:
    """The counts with intervals."""
    total = len(positions())
    return table(
        "offence-textbook",
        "Textbook positions played as the books play them",
        right_counts.items(),
        "Pooled over all positions of `game/textbook.toml`, with Wilson's intervals. The maxims "
        "were written and tested on these positions, so their count is no measure of strength; no "
        "other strategy was fitted to them. The books teach what is right against unknown hands, "
        "which is not always what wins against programs. Cards of the strategies that search "
        "(with `layouts`): chosen beforehand by `python benchmarks/textbook.py`.",
        columns={
            "strategy": lambda row: row[0],
            "right": lambda row: row[1],
            "positions": lambda row: total,
            ("% right", "95% from", "to"): lambda row: in_percent(stats.proportion(row[1], total)),
        },
    )
