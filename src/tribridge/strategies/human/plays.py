"""How experts play, as a model of plays for `beliefs`: what the cards played tell of hidden hands.

The chance that a player with some hand plays a card is the share of experts who would, by the
network of `human`, from what that player sees. What others hold in layouts does not matter to it,
so every different hand is asked about once, and all of them together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tribridge.cards.cards import Card
from tribridge.cards.masks import F64, I64, U64
from tribridge.common.errors import SettingError
from tribridge.game.position import Position
from tribridge.game.tricks import Chair
from tribridge.networks import people
from tribridge.networks.auction import Contracts, set_auction
from tribridge.networks.network import SuitNetwork
from tribridge.networks.play import PlayGames, preferences
from tribridge.strategies.human import network


@dataclass(frozen=True, slots=True)
class HumanPlays:
    """Players who play as experts do; on the full deck."""

    temperature: float = 1.0
    """Above 1, cards tell less: unpopular ones are played more often."""

    def __post_init__(self) -> None:
        if not self.temperature > 0:
            raise SettingError(f"the temperature must be greater than 0, not {self.temperature}")

    def likelihood(self, held: U64, position: Position, card: Card) -> F64:
        """The share of experts who would play the card from each hand."""
        games = _games(position, held.astype(np.int64))
        return share_of(network(), games, card.index, self.temperature)


def share_of(net: SuitNetwork, games: PlayGames, card: int, temperature: float = 1.0) -> F64:
    """In each of many layouts of one position, the share of experts who would play a card.

    `net` learned from people. Layouts in which the player holds the same hand are alike.
    """
    dummy = int(games.chair[0]) == Chair.DUMMY
    _, first, places = np.unique(
        games.hands[:, Chair.DECLARER] if dummy else games.mine,
        return_index=True,
        return_inverse=True,
    )
    games = games.take(first)
    legal = games.legal()
    shares = np.ones(len(first))
    free = np.flatnonzero(legal & legal - 1)
    if len(free):
        masks, numbers = games.take(free).observe()
        wishes = preferences(net, masks, people.shown(numbers), legal[free]).astype(np.float64)
        powers = np.exp((wishes - wishes.max(1, keepdims=True)) / temperature)
        shares[free] = powers[:, card] / powers.sum(1)
    result: F64 = shares[places]
    return result


def _games(position: Position, held: I64) -> PlayGames:
    """The position for each of the hands that its player may hold.

    All other hidden cards are with one of the others: the player does not see them.
    """
    if position.size != 13:
        raise SettingError(f"experts play with 52 cards, not with {4 * position.size}")
    chair, contract = position.chair, position.contract
    player = Chair.DECLARER if chair is Chair.DUMMY else chair
    hands = np.tile(np.array(position.with_hands((0, 0, 0, 0)).dealt(), np.int64), (len(held), 1))
    hands[:, Chair.DUMMY] |= position.dummy
    hands[:, player] |= held
    other = Chair.DECLARER if player else Chair.RIGHT
    hands[:, other] |= position.hidden & ~held
    same = np.ones(len(held), np.int64)
    level, strain = same * contract.bid.level, same * contract.bid.strain.index
    doubled = same * (contract.factor.bit_length() - 1)
    games = PlayGames(Contracts(hands, level, strain, doubled, *set_auction(level, strain)))
    for _, played in position.plays():
        games.step(same * played.index)
    return games
