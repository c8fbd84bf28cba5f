"""The simplest player: any legal card."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from numpy.random import Generator

from tribridge.errors import quantity
from tribridge.game.table import Table
from tribridge.game.views import View, view
from tribridge.strategies.players.maxims.player import maxim
from tribridge.strategies.players.search.evaluation import solver_of
from tribridge.strategies.protocol import Choice, StrategyError, position_of


@dataclass(frozen=True, slots=True)
class RandomPlayer:
    """Any legal card."""

    name: ClassVar[str] = "random"
    version: ClassVar[int] = 1
    summary: ClassVar[str] = "plays a legal card at random, all equally likely"

    def card(self, view: View, rng: Generator) -> Choice:
        legal = view.legal
        if len(legal) == 1:
            return Choice(legal[0], f"{legal[0]} is the only legal card.")
        card = legal[int(rng.integers(len(legal)))]
        return Choice(card, f"Chose {card} at random from {len(legal)} cards.")


@dataclass(frozen=True, slots=True)
class OraclePlayer:
    """Plays with all cards visible; ties are broken by the maxims."""

    name: ClassVar[str] = "oracle"
    version: ClassVar[int] = 1
    summary: ClassVar[str] = "sees all hands and plays double dummy; unfair, for measuring only"

    def open_card(self, table: Table, rng: Generator) -> Choice:
        play = table.position
        if play is None or play.over:
            raise StrategyError("the oracle was asked for a card when none is due")
        legal = play.legal
        if len(legal) == 1:
            return Choice(legal[0], f"{legal[0]} is the only legal card.")
        values = solver_of(table.deal.deck).cards(play)
        best = (max if play.chair.declaring else min)(values.values())
        sense, _ = maxim(position_of(view(table, table.turn)))
        card = (
            sense
            if values[sense] == best
            else max((card for card in legal if values[card] == best), key=lambda card: card.column)
        )
        return Choice(card, f"Double dummy, {card} gives declarer {quantity(best, 'trick')}.")
