"""Whether to agree to a claim, from what a seat can see."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tribridge.beliefs import Beliefs, chairs
from tribridge.deals import Seat
from tribridge.double_dummy.solving import DoubleDummy
from tribridge.game import View

if TYPE_CHECKING:
    from numpy.random import Generator

_LAYOUTS: Final = 20


def accepts(view: View, claimer: Seat, tricks: int, rng: Generator) -> bool:
    """Whether the claimer's side takes that many more tricks in every layout drawn, double dummy.

    A claim is made on the claimer's turn and between tricks.
    """
    play, contract = view.position, view.contract
    if play is None or contract is None:
        return False
    left = view.deck.hand_size - len(play.tricks)
    solver = DoubleDummy(view.deck)
    for a, b, c, d in chairs(view, Beliefs(view).sample(_LAYOUTS, rng)).tolist():
        values = solver.cards(play.with_hands((a, b, c, d))).values()
        declarers = (max(values) if play.declaring else min(values)) - play.won
        if (declarers if claimer is contract.declarer else left - declarers) < tricks:
            return False
    return True
