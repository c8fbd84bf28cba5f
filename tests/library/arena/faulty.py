"""Strategies that do what none should, to see what the arena makes of them."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from tribridge.cards.cards import Card
from tribridge.game.views import View
from tribridge.strategies import Choice, option, register_player

if TYPE_CHECKING:
    from numpy.random import Generator

HOW = ("raise", "cheat", "sleep", "nap", "spin", "nothing", "mute", "vague", "heap", "figures")


@register_player
@dataclass(frozen=True, slots=True)
class Faulty:
    """Plays its first legal card, but for one trick."""

    name: ClassVar[str] = "faulty"
    summary: ClassVar[str] = "fails in one trick"

    how: str = option("raise", "what it does", choices=HOW)
    trick: int = option(3, "the trick, from 0", min=0)

    def card(self, view: View, rng: Generator) -> Choice:
        if len(view.tricks) == self.trick:
            if self.how == "raise":
                raise RuntimeError("lost the thread\nand more")
            if self.how == "sleep":
                time.sleep(30)
                raise RuntimeError("slept to the end")
            if self.how == "nap":
                time.sleep(0.5)
                return Choice(view.legal[0], "After a nap.")
            while self.how == "spin":
                pass
            if self.how == "nothing":
                return None  # type: ignore[return-value]
            if self.how == "mute":
                return Choice(view.legal[0], None)  # type: ignore[arg-type]
            if self.how == "vague":
                return Choice(view.legal[0], "So.", {"chance": "good"})  # type: ignore[dict-item]
            if self.how == "heap":
                return Choice(np.array(view.legal * 2), "All of them.")  # type: ignore[arg-type]
            if self.how == "figures":
                figures = {"one": np.int64(1), "half": np.float32(0.5)}
                return Choice(view.legal[0], "So.", figures)  # type: ignore[arg-type]
            held = set(view.legal)
            return Choice(next(Card(at) for at in range(52) if Card(at) not in held), "A cheat.")
        return Choice(view.legal[0], "The first.")
