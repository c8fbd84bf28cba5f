"""How likely the network makes the cards that were played, on each of many layouts.

Other players need not play like the network, so one play in ten is taken to be random; equivalent
cards count as one.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tribridge.arrays import bits
from tribridge.game.tricks import Chair
from tribridge.game.views import View
from tribridge.strategies.players.learned.games import I64, Contracts, PlayGames, preferences
from tribridge.strategies.players.learned.network import SuitNetwork
from tribridge.strategies.players.learned.observation import RANKS, SUITS, Numbers
from tribridge.strategies.protocol import position_of

_CHANCE: Final = 0.1
"""Share of plays that are taken to be random."""


def replay(
    network: SuitNetwork,
    view: View,
    numbers: Numbers,
    left: I64,
    partner: float = 1.0,
    opponents: float = 1.0,
) -> tuple[PlayGames, NDArray[np.float64]]:
    """The games of layouts (remaining cards by chair) after the play so far, with log weights.

    The chances of the other defender's plays (for a defender) and of the opponents' are raised to
    the powers `partner` and `opponents`.
    """
    history = [*(card for trick in view.tricks for card in trick.cards), *view.trick]
    own = view.own_chair
    powers = (
        {1: opponents, 3: opponents}
        if own == Chair.DECLARER
        else {0: opponents, 2: opponents, 4 - (own or 0): partner}
    )
    dealt = left | np.array(position_of(view).with_hands((0, 0, 0, 0)).dealt(), np.int64)
    games = PlayGames(same_contract(numbers, dealt))
    log = np.zeros(len(left))
    for card in history:
        if power := powers.get(int(games.chair[0])):
            log += power * _log_chance(network, games, int(card))
        games.step(np.full(len(left), int(card)))
    return games, log


def same_contract(numbers: Numbers, hands: I64) -> Contracts:
    """The contract and auction of an observation, on many layouts (n, 4)."""
    every = np.tile(np.array(numbers, np.int64), (len(hands), 1))
    level, strain, doubled = every[:, 4:7].T
    return Contracts(hands, level, strain, doubled, every[:, 9:12], every[:, 12:15])


def _log_chance(network: SuitNetwork, games: PlayGames, card: int) -> NDArray[np.float64]:
    """How likely the network would have played a card, or its equals, in each layout."""
    legal = games.legal()
    result = np.zeros(len(legal))
    free = (legal & legal - 1 != 0).nonzero()[0]
    if not len(free):
        return result
    legal = legal[free]
    masks, numbers = games.observe()
    wishes = preferences(network, masks[free], numbers[free], legal).astype(np.float64)
    chances = np.exp(wishes - wishes.max(1, keepdims=True))
    chances /= chances.sum(1, keepdims=True)
    same = bits(_equals(games, card)[free], SUITS * RANKS)
    count = np.bitwise_count(legal.astype(np.uint64))
    result[free] = np.log((1 - _CHANCE) * (chances * same).sum(1) + _CHANCE * same.sum(1) / count)
    return result


def _equals(games: PlayGames, card: int) -> I64:
    """The cards of the chair to play that are as good as `card`: none of the others between."""
    mine: I64 = games.mine
    others = games.hands.sum(1) - mine | games.trick.sum(1)
    suit, rank = divmod(card, RANKS)
    result = np.full(len(mine), np.int64(1) << card)
    for step in (-1, 1):
        near = np.full(len(mine), True)
        at = rank + step
        while 0 <= at < RANKS:
            bit = np.int64(1) << RANKS * suit + at
            near = near & (others & bit == 0)
            result = result | np.where(near, mine & bit, 0)
            at += step
    return result
