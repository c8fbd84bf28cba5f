"""What the cards that others have played say about the cards they hold.

A layout becomes less likely with every play in it that departs from the maxims. Each departure
multiplies its weight by the same factor. Players do not follow the maxims to the letter, so the
factor is mild and no layout is ever ruled out. Equivalent cards count as the same card.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tribridge.cards import Card
from tribridge.game.position import Position
from tribridge.game.tricks import Chair, Hands
from tribridge.game.views import View
from tribridge.strategies.players.maxims.player import maxim
from tribridge.strategies.protocol import position_of


def departures(view: View, layouts: Sequence[Hands]) -> NDArray[np.int64]:
    """For each layout (remaining cards by chair), how many plays of the hidden hands depart."""
    moments = _moments(view)
    return np.array([_departures(moments, hands) for hands in layouts], dtype=np.int64)


def _moments(view: View) -> list[tuple[Position, Card]]:
    """Each play from a hidden hand; in its position, hands hold only cards played from then on."""
    position, own = position_of(view), view.own_chair
    hidden = (1, 3) if own == Chair.DECLARER else (0, 2, 4 - (own or 0))
    moments = []
    replay = Position(position.contract, position.with_hands((0, 0, 0, 0)).dealt())
    for card in (*(card for trick in view.tricks for card in trick.cards), *view.trick):
        if replay.chair in hidden:
            moments.append((replay, card))
        replay = replay.apply_unchecked(card)
    return moments


def _departures(moments: Sequence[tuple[Position, Card]], left: Hands) -> int:
    a, b, c, d = left
    count = 0
    for moment, card in moments:
        w, x, y, z = moment.hands
        position = moment.with_hands((a | w, b | x, c | y, d | z))
        legal = position.legal_mask()
        if legal & (legal - 1):
            count += not same_card(maxim(position)[0], card, position.mine, position.hands)
    return count


def same_card(card: int, other: int, mine: int, hands: Sequence[int]) -> bool:
    """Whether two cards of a hand are equivalent: no other hand has a card between them."""
    if card == other:
        return True
    if card // 13 != other // 13:
        return False
    high, low = min(card, other), max(card, other)
    between = (1 << low) - (1 << high + 1)
    others = (hands[0] | hands[1] | hands[2] | hands[3]) & ~mine
    return not others & between


def likelihoods(counts: NDArray[np.int64], factor: float) -> NDArray[np.float64]:
    """Weights of layouts: `factor` to the power of the departures, scaled so the best is 1."""
    weights: NDArray[np.float64] = np.power(factor, (counts - counts.min()).astype(np.float64))
    return weights
