"""I have an idea for how to play. How do I write it as a strategy, and is it any good?"""

import sys
from dataclasses import dataclass
from typing import ClassVar

from numpy.random import Generator

import tribridge as tb

DEALS = int(sys.argv[1]) if len(sys.argv) > 1 else 300


@tb.register_player
@dataclass(frozen=True)
class Greedy:
    """Leads its highest card and takes every trick it can, as cheaply as possible."""

    name: ClassVar[str] = "greedy"
    summary: ClassVar[str] = "takes every trick it can"

    cheap: bool = tb.option(True, "win with the lowest card that is enough")

    def card(self, view: tb.View, rng: Generator) -> tb.Choice:
        """A legal card, chosen from the view alone, and a sentence that says why."""
        cards = [card for card in view.legal if isinstance(card, tb.Card)]
        cards.sort(key=lambda card: card.rank, reverse=True)  # the ace is the highest
        if not view.trick:
            return tb.Choice(cards[0], f"{cards[0]} is the highest card.")
        led = view.trick[0].suit
        best = max(card for card in view.trick if card.suit is led)
        winners = [card for card in cards if card.suit is led and card > best]
        if winners:
            winner = winners[-1 if self.cheap else 0]
            return tb.Choice(winner, f"{winner} is winning the trick so far.")
        return tb.Choice(cards[-1], f"{cards[-1]} is the lowest card.")


# One choice, with its reason:
table = tb.new_table(seed=1).call("1NT").call("pass").call("pass")
print(tb.choose(Greedy(), table))

# Against random cards and against rules of thumb, in the same contracts on the same deals:
for opponent in ("random", "maxims"):
    print(tb.compare("greedy", opponent, deals=DEALS, play_only=True).summary())
