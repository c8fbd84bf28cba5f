"""The simplest player: any legal card."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from tribridge.game.views import View
from tribridge.strategies.protocol import Choice

if TYPE_CHECKING:
    from numpy.random import Generator


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
