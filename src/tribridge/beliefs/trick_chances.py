"""Whether a card wins the current trick, layout by layout.

A card that beats those on the table wins unless a later card beats it, and each later chair decides
that independently. So the chance in one layout is a product over the chairs still to play.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tribridge.beliefs.bits import U64, legal, popcount
from tribridge.beliefs.evidence import hand_at
from tribridge.cards import HANDS, Card, Hand, Suit
from tribridge.errors import IllegalActionError, SettingError
from tribridge.game.tricks import Chair, winner
from tribridge.game.views import View

F64 = NDArray[np.float64]

RESPONSES: Final = ("best", "random")
"""How the chairs still to play are assumed to respond; see `Posterior.wins`."""


def trick_chances(view: View, deals: U64, card: Card, response: str = RESPONSES[0]) -> F64:
    """For each layout, the chance that a card wins the trick: played now, or already on the table.

    The array has a single entry if no hidden hand is still to play, or the card is beaten.
    """
    if response not in RESPONSES:
        raise SettingError(f"unknown response {response!r}: expected {' or '.join(RESPONSES)}")
    if view.contract is None or view.leader is None or view.chair is None:
        raise IllegalActionError(f"{card} cannot win a trick now: no card is due")
    trick = view.trick
    if card not in trick:
        _check_playable(view, card)
        trick = (*trick, card)
    at = trick.index(card)
    trump, led = view.contract.bid.strain.trump, trick[0].suit
    chair = Chair((view.leader + at) % HANDS)
    chances = np.ones(1)
    if winner(view.leader, trick, trump) is not chair:
        return np.zeros(1)
    better = np.uint64(_better(card, trump))
    for later in range(len(trick), HANDS):
        other = Chair((view.leader + later) % HANDS)
        seen = other in (Chair.DUMMY, view.own_chair)
        hand = deals[: 1 if seen else None, hand_at(other, view.contract.declarer)]
        options = legal(hand & ~np.uint64(view.played.mask), led)
        beating, number = popcount(options & better), popcount(options)
        if response == "random":
            chances = chances * (1 - beating / number)
        elif other.declaring == chair.declaring:
            chances = chances * (beating < number)
        else:
            chances = chances * (beating == 0)
    return chances


def _better(card: Card, trump: Suit | None) -> int:
    """The cards that beat a winning card: higher ones of its suit, and trumps if it is not one."""
    higher = ((1 << card.rank) - 1) << 13 * card.suit
    over = 0x1FFF << 13 * trump if trump is not None and trump != card.suit else 0
    return higher | over


def _check_playable(view: View, card: Card) -> None:
    """Reject a card that the hand to play does not visibly hold, or that does not follow suit."""
    if view.chair is Chair.DUMMY and view.dummy is not None:
        held = view.dummy
    elif view.chair is view.own_chair:
        held = view.hand
    else:
        raise IllegalActionError(
            f"{card} cannot be tried: {view.turn} is to play from a hidden hand"
        )
    follow = held.suit(view.trick[0].suit) if view.trick else Hand()
    if card not in (follow if len(follow) else held):
        raise IllegalActionError(f"{card} cannot be played now from {held}")
