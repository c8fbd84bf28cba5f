"""Strategies that do what none should, to see what the arena makes of them."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from tribridge.cards import Card
from tribridge.game.view import View
from tribridge.strategies import Choice, register_player, setting

if TYPE_CHECKING:
    from numpy.random import Generator


@register_player
@dataclass(frozen=True, slots=True)
class Faulty:
    """Plays its first legal card, but for one trick."""

    name: ClassVar[str] = "faulty"
    summary: ClassVar[str] = "fails in one trick"

    how: str = setting("raise", "what it does", words=("raise", "cheat", "sleep", "nothing"))
    trick: int = setting(3, "the trick, from 0", least=0)

    def card(self, view: View, rng: Generator) -> Choice:
        if len(view.tricks) == self.trick:
            if self.how == "raise":
                raise RuntimeError("lost the thread\nand more")
            if self.how == "sleep":
                time.sleep(30)
            if self.how == "nothing":
                return None  # type: ignore[return-value]
            held = set(view.legal)
            return Choice(next(Card(at) for at in range(52) if Card(at) not in held), "A cheat.")
        return Choice(view.legal[0], "The first.")
