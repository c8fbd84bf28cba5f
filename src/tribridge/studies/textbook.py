"""Textbook positions: how many strategies play as the books do.

The cards that strategies choose are in `textbook.json`, written by `benchmarks/textbook.py`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Annotated

from tribridge import stats
from tribridge.cards import Card
from tribridge.game.textbook import positions
from tribridge.stats import Interval
from tribridge.studies.tables import in_percent

Cards = Mapping[str, str]
"""The card that a strategy plays in each position, by the position's id."""


@dataclass(frozen=True, slots=True)
class Played:
    """Textbook positions played as the books play them.

    Pooled over all positions of `game/textbook.toml`, with Wilson's intervals. The maxims were
    written and tested on these positions, so their count is no measure of strength; no other
    strategy was fitted to them. The books teach what is right against unknown hands, which is not
    always what wins against programs. The cards were chosen beforehand by `python
    benchmarks/textbook.py`.
    """

    strategy: str
    right: int
    positions: int
    share: Annotated[Interval, "% right"]


def shipped_cards() -> dict[str, Cards]:
    """The cards of strategies, chosen beforehand."""
    file = resources.files("tribridge.studies").joinpath("textbook.json")
    cards: dict[str, Cards] = json.loads(file.read_text("utf-8"))
    return cards


def right(cards: Cards) -> int:
    """How many of the cards are those of the books."""
    return sum(Card(cards[position.id]) in position.cards for position in positions())


def played() -> tuple[Played, ...]:
    """How many positions each strategy plays as the books do."""
    total = len(positions())
    counts = {name: right(cards) for name, cards in shipped_cards().items()}
    return tuple(
        Played(name, count, total, in_percent(stats.proportion(count, total)))
        for name, count in counts.items()
    )
