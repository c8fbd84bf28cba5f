"""What the cards that others played say about what they hold.

A layout is the less likely, the more often it has a player depart from what the maxims would have
played with those cards. Each departure lowers its weight by one factor, the same for all: players
do not follow the maxims to the letter, so the factor is mild, and a layout is never ruled out.
Cards that are as good as each other count as the same card.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tribridge.game.tricks import Trick
from tribridge.game.view import View
from tribridge.strategies.players.maxims.player import maxim
from tribridge.strategies.players.search.simulation import Hands
from tribridge.strategies.players.sight import NO_TRUMP, ROW, Sight
from tribridge.strategies.protocol import StrategyError


def departures(view: View, layouts: Sequence[Hands]) -> NDArray[np.int64]:
    """For each layout (cards left by chair) how many plays of the hidden hands depart."""
    contract, leader = view.contract, view.leader
    if contract is None or leader is None:
        raise StrategyError("no cards have been played in this view")
    trump = int(contract.bid.strain)
    history = [*view.tricks]
    if view.trick:
        history.append(Trick(leader, view.trick, leader))
    return np.array(
        [_departures(view, history, hands, NO_TRUMP if trump == 4 else trump) for hands in layouts],
        dtype=np.int64,
    )


def _departures(view: View, history: Sequence[Trick], left: Hands, trump: int) -> int:
    own = view.own_chair
    watched = (1, 3) if own == 0 else (0, 2, 4 - (own or 0))
    hands = list(left)
    for trick in history:
        for at, card in enumerate(trick.cards):
            hands[(trick.leader + at) & 3] |= 1 << card
    contract = view.contract
    assert contract is not None
    needed, size = contract.tricks_needed(view.deck), view.deck.hand_size
    voids = [0, 0, 0, 0]
    count = won = 0
    for number, trick in enumerate(history):
        leader = int(trick.leader)
        suit = trick.cards[0] // 13
        for at, card in enumerate(trick.cards):
            chair = (leader + at) & 3
            mine = hands[chair]
            if chair in watched:
                legal = mine & ROW << 13 * suit if at else mine
                legal = legal or mine
                if legal & (legal - 1):
                    if chair & 1:
                        friend, unseen = 0, hands[0] | hands[chair ^ 2]
                    else:
                        friend, unseen = hands[chair ^ 2], hands[1] | hands[3]
                    sight = Sight(
                        chair=chair,
                        mine=mine,
                        friend=friend,
                        dummy=hands[2],
                        unseen=unseen,
                        trump=trump,
                        leader=leader,
                        trick=trick.cards[:at],
                        voids=(voids[0], voids[1], voids[2], voids[3]),
                        tricks=view.tricks[:number],
                        won=won,
                        needed=needed,
                        size=size,
                        bids=(),
                    )
                    count += not same_card(maxim(sight)[0], card, mine, hands)
            if at and card // 13 != suit:
                voids[chair] |= 1 << suit
            hands[chair] = mine & ~(1 << card)
        if number < len(view.tricks):
            won += not trick.winner & 1
    return count


def same_card(one: int, two: int, mine: int, hands: Sequence[int]) -> bool:
    """Whether two cards of a hand are as good as each other: no other hand's card between them."""
    if one == two:
        return True
    if one // 13 != two // 13:
        return False
    high, low = min(one, two), max(one, two)
    between = (1 << low) - (1 << high + 1)
    others = (hands[0] | hands[1] | hands[2] | hands[3]) & ~mine
    return not others & between


def likelihoods(counts: NDArray[np.int64], factor: float) -> NDArray[np.float64]:
    """Weights of layouts: `factor` to the power of the departures; the best has weight 1."""
    weights: NDArray[np.float64] = np.power(factor, (counts - counts.min()).astype(np.float64))
    return weights
